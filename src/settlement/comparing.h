/* What is stored here, given to a comparison (settlement/comparison.h). */
#ifndef RECAUDO_SETTLEMENT_COMPARING_H
#define RECAUDO_SETTLEMENT_COMPARING_H

#include "settlement/comparison.h"
#include "store/payment/settlements.h"
#include "store/payment/transactions_now.h"

struct comparing {
    struct comparison *comparison;
    const char *zone;    /* that cuts the days */
    struct arena *arena; /* for texts while a call lasts */
};

/* An operation of the days compared. Refunds are ignored: networks do not list them. */
void comparing_take(const struct comparing *comparing, const struct operation *operation);

/* Answers a line whose transaction is not among those, but is stored. */
void comparing_answer(const struct comparing *comparing, const struct network_line *line,
                      const struct transaction_now *found);

/* The day of a local time, like 2026-11-21. The text is the arena's. */
struct text day_print(struct arena *arena, instant local);

#endif
