/* recaudoctl notification retry. */
#ifndef RECAUDO_CTL_NOTIFICATION_NOTIFICATION_RETRY_H
#define RECAUDO_CTL_NOTIFICATION_NOTIFICATION_RETRY_H

#include "ctl/core/command.h"

enum outcome notification_retry(struct context *context);

#endif
