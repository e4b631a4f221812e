/* recaudoctl merchant show. */
#ifndef RECAUDO_CTL_MERCHANT_MERCHANT_SHOW_H
#define RECAUDO_CTL_MERCHANT_MERCHANT_SHOW_H

#include "ctl/core/command.h"
#include "ctl/core/record.h"
#include "store/party/merchants.h"

/* Returns the NAME argument of the command. */
struct text merchant_argument(const struct context *context);

/* Adds the merchant's settings, and until when its old secrets are valid. */
void merchant_describe(struct record *record, const struct merchant_description *merchant);

enum outcome merchant_show(struct context *context);

#endif
