/* Sums of money: wider than any amount, exact, never rounded. */
#ifndef RECAUDO_DOMAIN_TOTAL_H
#define RECAUDO_DOMAIN_TOTAL_H

#include "domain/money.h"

struct total {
    uint64_t whole;    /* units of the currency */
    uint64_t fraction; /* ten-thousandths, less than 10000 */
};

enum { TOTAL_TEXT_SIZE = 28 };

/* Adds an amount. Aborts the process if the sum exceeds UINT64_MAX whole units, so that no wrong sum is printed. */
void total_add(struct total *total, struct money amount);

/* Writes the sum in the format of currency_print. Returns out. */
const char *total_print(const struct total *total, struct text currency, char out[TOTAL_TEXT_SIZE]);

#endif
