/* ISO 4217: the currencies and their minor units. Which of them a deployment uses stands in the table `currencies`. */
#ifndef RECAUDO_DOMAIN_CURRENCY_H
#define RECAUDO_DOMAIN_CURRENCY_H

#include "domain/money.h"

/* True when ISO 4217 has this alphabetic code (capital letters). */
bool currency_is_known(struct text code);

/* Decimals of the currency's minor unit; MONEY_DECIMALS of a code that is not known. */
unsigned currency_decimals(struct text code);

/*
 * True when `written`, which is an amount, has no more decimals than the currency, zeros counted too. False when the
 * code is unknown.
 */
bool currency_allows(struct text code, struct text written);

/*
 * Reads an amount as somebody wrote it. False, with *out unchanged, when it is no amount, when the code is unknown, or
 * when more decimals are written than the currency has, also zeros: in many markets "45.000" means forty-five thousand,
 * so it must never be taken for 45 (doc/protocol.md, "Money").
 */
MUST_USE bool currency_parse_amount(struct text code, struct text written, struct money *out);

/* Writes the amount with the currency's decimals, or more where digits that are not zero would be lost. Returns out. */
const char *currency_print(struct text code, struct money amount, char out[MONEY_TEXT_SIZE]);

#endif
