/*
 * What became final in a span of time, payment by payment, for settlement. A payment counts at the end of its cancellation window (the column
 * settled_at), whenever a dispatcher came round to write it, a cancelled one when it was cancelled, a refund when it was made: none of these
 * instants changes any more, so a span that is over gives the same for ever.
 */
#ifndef RECAUDO_STORE_SETTLEMENTS_H
#define RECAUDO_STORE_SETTLEMENTS_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"
#include "store/connection.h"

enum operation_kind { OPERATION_FINALISED, OPERATION_CANCELLED, OPERATION_REFUNDED, OPERATION_KINDS };

struct operation {
    enum operation_kind kind;
    instant at;
    uint64_t id; /* operation code: IDSERVICE; of a refund that of the payment */
    struct text network, transaction;
    struct text merchant, order; /* name and po_id; empty: the top-up of an account */
    struct text currency;
    struct money amount;
};

struct settlement_span {
    instant from, to;                 /* from <= at < to */
    uint64_t network_id, merchant_id; /* 0: all */
};

/* The time by the database's clock. */
enum status settlements_now(struct connection *connection, instant *out);

/* The time zone of the merchant's country. */
enum status settlements_zone(struct connection *connection, uint64_t merchant_id, struct arena *arena,
                             struct text *out);

/*
 * Calls `each` for every operation of the span as it comes from the server: first what was finalised or cancelled, then the refunds, each in
 * the order of instant and operation code. `scratch` is reset before each operation. `each` must not use the connection.
 */
enum status settlements_each(struct connection *connection, const struct settlement_span *span, struct arena *scratch,
                             void (*each)(void *context, const struct operation *operation), void *context);

#endif
