/* The terms of an integration that may change: the endpoint for queries, and the currency of the orders. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_TERMS_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_TERMS_H

#include "ctl/core/command.h"

/* Reads the option --endpoint. Refused if no query can be sent to it. */
enum outcome integration_take_endpoint(const struct context *context, struct text *out);

/* Refused if `code` is not a currency, or has no one-digit code for queries. */
enum outcome integration_take_currency(const struct context *context, struct text code, struct text *out);

#endif
