/*
 * Settlements (doc/operations.md, "Reconcile"). An operation is a payment that became final, a cancellation or a
 * refund. Each belongs to exactly one settlement, into which it is collected after its commit. One settlement is open;
 * a closed one never changes.
 */
#ifndef RECAUDO_STORE_PAYMENT_SETTLEMENTS_H
#define RECAUDO_STORE_PAYMENT_SETTLEMENTS_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/settlement.h"
#include "store/db/connection.h"

struct settlement_row {
    uint64_t number;
    bool is_closed;
    instant opened_at, closed_at; /* closed_at 0: open */
    struct text closed_by;
    struct text day, zone; /* 2026-11-21, America/Bogota; empty: of no day */
    bool is_summed;        /* counts and digest are written */
    uint64_t counts[OPERATION_KINDS];
    struct text digest;
};

/* closed_by of the settlement with all operations from before there were settlements. */
#define SETTLEMENT_MIGRATED "migration"

/* Finds the settlement with this number. STATUS_NONE: there is none. */
enum status settlements_find(struct connection *connection, uint64_t number, struct arena *arena,
                             struct settlement_row *out);

/* Finds the open settlement. */
enum status settlements_find_open(struct connection *connection, struct arena *arena, struct settlement_row *out);

/* Finds the closed settlement of a day in a zone. STATUS_NONE: there is none. */
enum status settlements_find_day(struct connection *connection, struct text day, struct text zone, struct arena *arena,
                                 struct settlement_row *out);

/* The numbers of the closed settlements that have operations between two instants, "12, 13", in the arena; empty: none
 * has. */
enum status settlements_with_day(struct connection *connection, instant begins, instant ends, struct arena *arena,
                                 struct text *out);

/* Counts the operations of a settlement that are of `since` or later. */
enum status settlements_count_since(struct connection *connection, uint64_t number, instant since, uint64_t *out);

/* Calls `each` for the newest settlements, newest first, up to `limit`. */
enum status settlements_list(struct connection *connection, uint64_t limit, struct arena *arena,
                             void (*each)(void *context, const struct settlement_row *row), void *context);

/* The operations to read. */
struct settlement_span {
    uint64_t number;  /* those of this settlement; 0: those between two instants */
    instant from, to; /* from <= at < to; without `number` */
    uint64_t among;   /* without `number`: only those that are in settlement `among`; 0: all that are written */
    uint64_t network_id, merchant_id; /* 0: all */
};

/* Reads the database's clock. */
enum status settlements_now(struct connection *connection, instant *out);

/* Reads the time zone of the merchant's country. */
enum status settlements_zone(struct connection *connection, uint64_t merchant_id, struct arena *arena,
                             struct text *out);

/* Sets *any to whether something that became final from `from` until before `to` is not in a closed settlement, also
 * what is not written yet. */
enum status settlements_find_unsettled(struct connection *connection, instant from, instant to, bool *any);

/*
 * Calls `each` for every operation of the span as it arrives from the server. Of a settlement: in the order of instant,
 * operation code and kind. Between two instants: first payments and cancellations in the order of instant and operation
 * code, then refunds in the order of instant and order id. Resets `scratch` before each operation. `each` must not use
 * the connection.
 */
enum status settlements_each(struct connection *connection, const struct settlement_span *span, struct arena *scratch,
                             void (*each)(void *context, const struct operation *operation), void *context);

/* A settlement can also be read in pages of this size, each by a statement of its own. */
enum { SETTLEMENT_PAGE = 1000 };

struct settlement_place {
    uint64_t number;   /* the settlement */
    instant at;        /* of the operation read last; all 0: none yet */
    uint64_t id, kind; /* kind as the database numbers it, from 1 */
    uint64_t read;     /* operations in the last page; fewer than SETTLEMENT_PAGE: it was the last */
};

/* Calls `each` for the next page of a settlement, in the order of settlements_each, and advances *place. After an error
 * *place is not valid. */
enum status settlements_page(struct connection *connection, struct settlement_place *place, struct arena *scratch,
                             void (*each)(void *context, const struct operation *operation), void *context);

#endif
