/*
 * Transactions: registering, confirming, cancelling. Every change is one guarded statement, durable when it returns.
 *
 * What is usual takes one round trip: its guards are the rules of src/domain, by the database's clock. Where they hold
 * not, STATUS_CHANGED says so and nothing is written: read the rows and judge them, to find out why.
 * tests/store/payment/test_rules.c holds SQL and domain equal.
 */
#ifndef RECAUDO_STORE_PAYMENT_TRANSACTIONS_H
#define RECAUDO_STORE_PAYMENT_TRANSACTIONS_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "store/db/connection.h"

/*
 * Stores a registration of an open order, if everything is as it should be; the caller has set new->fingerprint and
 * gets the rest. STATUS_CHANGED: something is not, or it is an account that is paid, or an order that came by an
 * external query. STATUS_CLASH: this network has a transaction of that id already.
 */
enum status transactions_register(struct connection *connection, uint64_t network_id,
                                  const struct registration *request, struct arena *arena, struct transaction *new);

/* Stores a registration that was judged. `new` has everything but id and state; the id comes back in it. STATUS_CLASH:
 * this network has a transaction of that id already. */
enum status transactions_insert(struct connection *connection, uint64_t network_id, const struct registration *request,
                                struct transaction *new);

/* What a confirmation is judged on. */
struct confirmation_rows {
    instant now;
    struct transaction transaction;
    bool has_order;
    struct order order;
    struct money room; /* of a top-up: what its account can still take */
};

/* STATUS_NONE: this network has no such transaction. */
enum status transactions_find(struct connection *connection, uint64_t network_id, struct text network_transaction,
                              struct arena *arena, struct confirmation_rows *out);

/* How a network names its transaction, and who is noted as having changed it. */
struct transaction_name {
    uint64_t network_id;
    struct text transaction, actor;
};

/* REGISTRADA -> CONFIRMADA, and the order is held until the window ends. The database knows how long the window is (the
 * table settings). STATUS_CHANGED, also of the others: the rows are not so, or it is a top-up. */
enum status transactions_confirm(struct connection *connection, const struct transaction_name *name);

/* The same for a top-up, by its id: the account keeps room for it. STATUS_AGAIN also: it has no room any more. */
enum status transactions_confirm_top_up(struct connection *connection, uint64_t id, struct text actor);

/* After STATUS_LIMIT of either: the limit that has too little left, like "the limit of the day in COP". The next
 * STATUS_LIMIT on the connection replaces it. */
const char *transactions_reached_limit(const struct connection *connection);

/* REGISTRADA or CONFIRMADA (inside its window) -> CANCELADA, and the order's hold is released, or the account's
 * room. */
enum status transactions_cancel(struct connection *connection, const struct transaction_name *name);

#endif
