/*
 * Exact money: a count of ten-thousandths of the currency's unit. No sign, no binary floating point, no rounding.
 * Text form: ^[0-9]{1,15}(\.[0-9]{1,4})?$ (doc/protocol.md, "Money").
 */
#ifndef RECAUDO_DOMAIN_MONEY_H
#define RECAUDO_DOMAIN_MONEY_H

#include "base/text.h"

/* Unsigned, because the greatest amount, 999999999999999.9999, does not fit into a signed 64-bit number. */
struct money {
    uint64_t units;
};

#define MONEY_GREATEST ((struct money){UINT64_C(9999999999999999999)})

enum { MONEY_DECIMALS = 4, MONEY_UNITS_PER_WHOLE = 10000, MONEY_TEXT_SIZE = 24 };

/* Reads an amount. False, with *out unchanged: the text is not an amount. */
MUST_USE bool money_parse(struct text text, struct money *out);

/* True if the text is an amount. */
bool money_is_valid(struct text text);

/* For tests: true if all decimals after the first `minor_unit` (0 to 4) are zero. */
bool money_fits(struct money amount, unsigned minor_unit);

/* Writes the amount with `decimals` (0 to 4) decimals, such as 45000.00, or with more if digits other than zero would
 * be lost. Returns out. */
const char *money_print(struct money amount, unsigned decimals, char out[MONEY_TEXT_SIZE]);

/* Returns `part` in percent of `whole`, rounded down; 100 if `whole` is zero, UINT64_MAX if the result is too large. */
uint64_t money_percent(struct money part, struct money whole);

static inline bool money_is_zero(struct money amount) {
    return amount.units == 0;
}

static inline bool money_equal(struct money a, struct money b) {
    return a.units == b.units;
}

#endif
