/* What may change of an integration: where the merchant is asked, and the currency of the orders. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_TERMS_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_TERMS_H

#include "ctl/core/command.h"

/* The option --endpoint. Refused when no query can be sent to it. */
enum outcome integration_take_endpoint(const struct context *context, struct text *out);

/* Refused when `code` is no currency, or one without a digit for queries. */
enum outcome integration_take_currency(const struct context *context, struct text code, struct text *out);

#endif
