/* recaudoctl order show. */
#ifndef RECAUDO_CTL_ORDER_ORDER_SHOW_H
#define RECAUDO_CTL_ORDER_ORDER_SHOW_H

#include "ctl/core/command.h"

enum outcome order_show(struct context *context);

#endif
