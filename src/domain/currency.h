/* ISO 4217: the currencies and their minor units. Which of them a deployment uses stands in the table `currencies`. */
#ifndef RECAUDO_DOMAIN_CURRENCY_H
#define RECAUDO_DOMAIN_CURRENCY_H

#include "base/text.h"

/* Decimals of the currency's minor unit; false when ISO 4217 has no such alphabetic code (capital letters). */
bool currency_minor_unit(struct text code, unsigned *out);

#endif
