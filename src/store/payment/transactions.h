/*
 * Transactions: registering, confirming, cancelling. Every change is one guarded statement, durable when it returns.
 *
 * The usual case takes one round trip, because the guards are the rules of src/domain, by the database's clock.
 * STATUS_CHANGED: the guards failed and nothing was written; read the rows and judge them to find out why.
 * tests/store/payment/test_rules.c keeps SQL and domain equal.
 */
#ifndef RECAUDO_STORE_PAYMENT_TRANSACTIONS_H
#define RECAUDO_STORE_PAYMENT_TRANSACTIONS_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "store/db/connection.h"

/*
 * Stores a registration of an open order. The caller sets new->fingerprint; the rest of *new is filled in.
 * STATUS_CHANGED: a rule refuses it, or the reference is an account's or that of an order from an external query.
 * STATUS_CLASH: this network has a transaction of that id already.
 */
enum status transactions_register(struct connection *connection, uint64_t network_id,
                                  const struct registration *request, struct arena *arena, struct transaction *new);

/* Stores a registration that was judged. *new has everything but id and state, and gets the id. STATUS_CLASH: this
 * network has a transaction of that id already. */
enum status transactions_insert(struct connection *connection, uint64_t network_id, const struct registration *request,
                                struct transaction *new);

/* The rows on which a confirmation is judged. */
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

/* A network's name for its transaction, and the actor of a change. */
struct transaction_name {
    uint64_t network_id;
    struct text transaction, actor;
};

/* REGISTRADA -> CONFIRMADA; the order is held until the window ends. The database knows the window's length (table
 * settings). STATUS_CHANGED, as of the others: the rows do not allow it, or it is a top-up; read them to find out
 * why. */
enum status transactions_confirm(struct connection *connection, const struct transaction_name *name);

/* The same for a top-up, by its id: the account reserves room for it. STATUS_AGAIN also: it has no room any more. */
enum status transactions_confirm_top_up(struct connection *connection, uint64_t id, struct text actor);

/* After STATUS_LIMIT of either: returns the limit that is exceeded, such as "the limit of the day in COP". Valid until
 * the next STATUS_LIMIT on the connection. */
const char *transactions_reached_limit(const struct connection *connection);

/* REGISTRADA, or CONFIRMADA inside its window -> CANCELADA; releases the order's hold or the account's room. */
enum status transactions_cancel(struct connection *connection, const struct transaction_name *name);

#endif
