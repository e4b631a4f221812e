/* recaudoctl report compare. */
#ifndef RECAUDO_CTL_REPORT_COMPARE_H
#define RECAUDO_CTL_REPORT_COMPARE_H

#include "ctl/core/command.h"

enum outcome compare_report(struct context *context);

#endif
