/* Counts and sums of operations by currency: for each network, for each merchant, and in total. */
#ifndef RECAUDO_SETTLEMENT_TALLY_H
#define RECAUDO_SETTLEMENT_TALLY_H

#include "base/arena.h"
#include "domain/settlement.h"
#include "domain/total.h"

enum tally_scope { TALLY_NETWORK, TALLY_MERCHANT, TALLY_TOTAL };

struct tally_row {
    enum tally_scope scope;
    struct text name; /* network or merchant; empty: the total, or top-ups, which have no merchant */
    struct text currency;
    struct {
        uint64_t count;
        struct total amount;
    } of[OPERATION_KINDS];
};

struct tally;

/* The rows are in the arena; tally_free frees everything else. */
struct tally *tally_create(struct arena *arena);

void tally_add(struct tally *tally, const struct operation *operation);

/* Returns the rows, sorted by scope, name and currency (bytewise). No operation may be added afterwards. */
const struct tally_row *tally_rows(struct tally *tally, size_t *count);

void tally_free(struct tally *tally);

/* finalised, cancelled, refunded */
const char *tally_kind_name(enum operation_kind kind);

#endif
