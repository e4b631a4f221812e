/* recaudoctl order claim. */
#ifndef RECAUDO_CTL_ORDER_ORDER_CLAIM_H
#define RECAUDO_CTL_ORDER_ORDER_CLAIM_H

#include "ctl/core/command.h"

enum outcome order_claim(struct context *context);

#endif
