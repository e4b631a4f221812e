/* recaudoctl order add. */
#ifndef RECAUDO_CTL_ORDER_ORDER_ADD_H
#define RECAUDO_CTL_ORDER_ORDER_ADD_H

#include "ctl/core/command.h"

enum outcome order_add(struct context *context);

#endif
