/* ISO 4217: currencies and their minor units. The table `currencies` says which of them a deployment uses. */
#ifndef RECAUDO_DOMAIN_CURRENCY_H
#define RECAUDO_DOMAIN_CURRENCY_H

#include "domain/money.h"

/* True if ISO 4217 has this alphabetic code (capital letters). */
bool currency_is_known(struct text code);

/* Decimals of the currency's minor unit; MONEY_DECIMALS for an unknown code. */
unsigned currency_decimals(struct text code);

/*
 * True if the amount `written` has no more decimals than the currency; zeros count too. False for an unknown code.
 */
bool currency_allows(struct text code, struct text written);

/*
 * Reads a written amount. False, with *out unchanged:
 * - `written` is not an amount;
 * - the code is unknown;
 * - there are more decimals than the currency has, even zeros. In many markets "45.000" means forty-five thousand, so
 * it must never be read as 45 (doc/protocol.md, "Money").
 */
MUST_USE bool currency_parse_amount(struct text code, struct text written, struct money *out);

/* Writes the amount with the currency's decimals, or more where digits that are not zero would be lost. Returns out. */
const char *currency_print(struct text code, struct money amount, char out[MONEY_TEXT_SIZE]);

#endif
