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

/* A registration of an open order. The memory is the caller's. */
struct new_registration {
    uint64_t network_id;
    const struct registration *request;
    struct arena *arena;        /* for the texts of *stored */
    struct transaction *stored; /* has the fingerprint; the rest is filled in if it is stored */
    enum status status;
};

/*
 * Stores a registration.
 * STATUS_CHANGED: a rule refuses it, the reference is an account's or that of an order from an external query, or this
 * network has a transaction of that id already.
 * STATUS_CLASH: another session stores a transaction of this network and id at this moment.
 */
enum status transactions_register(struct connection *connection, struct new_registration *new);

/*
 * The same for several at once, in one transaction. Never waits for locks. STATUS_OK: the status of each is STATUS_OK,
 * or STATUS_CHANGED as above. Otherwise nothing is stored (after STATUS_UNSURE, all or nothing): STATUS_CLASH, if two
 * of them are the same or one is stored by another session at this moment; STATUS_AGAIN, if somebody has locked a row
 * that one of them needs.
 */
enum status transactions_register_shared(struct connection *connection, struct new_registration *const news[],
                                         size_t count, struct arena *arena);

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

/*
 * Waits until no session is changing a transaction that was read in this state. transactions_find does not see a change
 * that is not committed yet.
 * STATUS_OK: it is still in this state.
 * STATUS_CHANGED: it is in another state; read it again.
 * STATUS_AGAIN: another session keeps it locked.
 */
enum status transactions_await(struct connection *connection, uint64_t id, enum transaction_state state);

/* A network's name for its transaction, and the actor of a change. */
struct transaction_name {
    uint64_t network_id;
    struct text transaction, actor;
};

/* REGISTRADA -> CONFIRMADA; the order is held until the window ends. The database knows the window's length (table
 * settings). STATUS_CHANGED, as of the others: the rows do not allow it, or it is a top-up; read them to find out
 * why. */
enum status transactions_confirm(struct connection *connection, const struct transaction_name *name);

/* One of several changes. The memory is the caller's. */
struct transaction_change {
    struct transaction_name name;
    enum status status;
};

/* The database returns the outcomes as the bits of one number. */
enum { TRANSACTION_CHANGES_MAX = 63 };

/*
 * transactions_confirm and transactions_cancel for several at once, in one transaction. Never wait for locks.
 * STATUS_OK: the status of each is STATUS_OK or STATUS_CHANGED, as of the single ones. Otherwise nothing is written
 * (after STATUS_UNSURE, all or nothing): STATUS_LIMIT, if one exceeds a limit; STATUS_AGAIN, if somebody has locked a
 * row, or if two confirmations are for one order.
 */
enum status transactions_confirm_shared(struct connection *connection, struct transaction_change *const changes[],
                                        size_t count, struct arena *arena);
enum status transactions_cancel_shared(struct connection *connection, struct transaction_change *const changes[],
                                       size_t count, struct arena *arena);

/* Confirms a top-up, by its id, and reserves room for it in its account. STATUS_AGAIN also: the account has no room any
 * more. */
enum status transactions_confirm_top_up(struct connection *connection, uint64_t id, struct text actor);

/* After STATUS_LIMIT of either: returns the limit that is exceeded, such as "the limit of the day in COP". Valid until
 * the next STATUS_LIMIT on the connection. */
const char *transactions_reached_limit(const struct connection *connection);

/* REGISTRADA, or CONFIRMADA inside its window -> CANCELADA; releases the order's hold or the account's room. */
enum status transactions_cancel(struct connection *connection, const struct transaction_name *name);

#endif
