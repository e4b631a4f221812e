/* recaudoctl notification test. */
#ifndef RECAUDO_CTL_NOTIFICATION_NOTIFICATION_TEST_H
#define RECAUDO_CTL_NOTIFICATION_NOTIFICATION_TEST_H

#include "ctl/core/command.h"

enum outcome notification_test(struct context *context);

#endif
