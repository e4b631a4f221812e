/* Sums of money: wider than any amount, exact, never rounded. */
#ifndef RECAUDO_DOMAIN_TOTAL_H
#define RECAUDO_DOMAIN_TOTAL_H

#include "domain/money.h"

struct total {
    uint64_t whole;    /* units of the currency */
    uint64_t fraction; /* ten-thousandths, less than 10000 */
};

enum { TOTAL_TEXT_SIZE = 28 };

/* Ends the process when the sum would be greater than 18 trillion millions: no wrong sum is ever printed. */
void total_add(struct total *total, struct money amount);

/* Writes it as currency_print writes an amount. Returns out. */
const char *total_print(const struct total *total, struct text currency, char out[TOTAL_TEXT_SIZE]);

#endif
