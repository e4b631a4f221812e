/*
 * Transactions: registering, confirming, cancelling. Every change is one guarded statement, durable when it returns.
 *
 * Guards repeat in SQL what the domain judged on the row read before, by the database's clock: STATUS_CHANGED means
 * that the row has changed since, so read and judge again.
 */
#ifndef RECAUDO_STORE_PAYMENT_TRANSACTIONS_H
#define RECAUDO_STORE_PAYMENT_TRANSACTIONS_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "store/db/connection.h"

/* Stores a registration. `new` has everything but id and state; the id comes back in it. STATUS_CLASH: this network has
 * a transaction of that id already. */
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

/* REGISTRADA -> CONFIRMADA, and the order is held until the window ends, or the account keeps room for the amount. The
 * database knows how long the window is (the table settings). STATUS_AGAIN also: the account has no room any more.
 * STATUS_CHANGED, also of transactions_cancel: the rows are no longer so. */
enum status transactions_confirm(struct connection *connection, const struct confirmation_rows *rows,
                                 struct text actor);

/* REGISTRADA or CONFIRMADA (inside its window) -> CANCELADA, and the order's hold is released, or the account's
 * room. */
enum status transactions_cancel(struct connection *connection, const struct confirmation_rows *rows, struct text actor);

#endif
