/* recaudoctl order import. */
#ifndef RECAUDO_CTL_ORDER_ORDER_IMPORT_H
#define RECAUDO_CTL_ORDER_ORDER_IMPORT_H

#include "ctl/core/command.h"

enum outcome order_import(struct context *context);

#endif
