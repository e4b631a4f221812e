/* References: the number that a customer pays with. An order has 1 to 25 digits; a top-up uses the customer's document
 * number. */
#ifndef RECAUDO_DOMAIN_REFERENCE_H
#define RECAUDO_DOMAIN_REFERENCE_H

#include "base/text.h"

enum { REFERENCE_MAX = 25, REFERENCE_ASSIGNED = 14 };

/* True for a reference that an order may have: 1 to REFERENCE_MAX digits. */
bool reference_is_valid(struct text reference);

/* True for what a request may name: a reference or a document number, ^[0-9A-Za-z-]{1,25}$. */
bool reference_is_payable(struct text reference);

/* True for the characters that reference_is_payable allows: digits, letters without accents, and '-'. */
bool reference_may_have(char c);

/* Writes 13 digits drawn from `random` and their check digit (Luhn), then NUL. The first digit is never 0. */
void reference_assign(const unsigned char random[8], char out[REFERENCE_ASSIGNED + 1]);

#endif
