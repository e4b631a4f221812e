/* Passes stored payments to a comparison (settlement/comparison.h). */
#ifndef RECAUDO_SETTLEMENT_COMPARING_H
#define RECAUDO_SETTLEMENT_COMPARING_H

#include "settlement/comparison.h"
#include "store/payment/settlements.h"
#include "store/payment/transactions_now.h"

struct comparing {
    struct comparison *comparison;
    const char *zone;    /* the zone that defines days */
    struct arena *arena; /* for texts, which are valid during a call only */
};

/* Passes an operation of the compared days. Refunds are ignored, because networks do not list them. */
void comparing_take(const struct comparing *comparing, const struct operation *operation);

/* Answers a line whose transaction is stored, but not among the operations of the compared days. */
void comparing_answer(const struct comparing *comparing, const struct network_line *line,
                      const struct transaction_now *found);

/* Returns the day of a local time: 2026-11-21. In the arena. */
struct text day_print(struct arena *arena, instant local);

#endif
