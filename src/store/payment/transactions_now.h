/* Transactions for display: in their state at this moment (view transactions_now). */
#ifndef RECAUDO_STORE_PAYMENT_TRANSACTIONS_NOW_H
#define RECAUDO_STORE_PAYMENT_TRANSACTIONS_NOW_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"
#include "store/db/connection.h"

struct transaction_now {
    uint64_t id; /* IDSERVICE */
    struct text network, network_transaction, reference;
    uint64_t order_id;    /* 0: a top-up */
    struct text document; /* of the account that is topped up; empty: an order's payment */
    struct text state, state_written;
    struct money amount;
    struct text currency, commerce, description, teller;
    struct text given_names, surname1, surname2;
    instant registered_at, confirmed_at, window_ends_at, finalised_at, cancelled_at; /* 0: has not happened */
    bool window_closed; /* CONFIRMADA, and past window_ends_at: FINALIZADA is due but not written */
};

/* STATUS_NONE: the network has no transaction of this id. */
enum status transactions_now_find(struct connection *connection, struct text network, struct text network_transaction,
                                  struct arena *arena, struct transaction_now *out);

/* Calls `each` for every transaction of an order, oldest first. `each` must not use the connection. */
enum status transactions_now_of_order(struct connection *connection, uint64_t order_id, struct arena *arena,
                                      void (*each)(void *context, const struct transaction_now *transaction),
                                      void *context);

struct transaction_filter {
    struct text state;    /* empty: any */
    uint64_t network_id;  /* 0: any */
    instant since, until; /* registered at or after `since`, and before `until`; 0: no bound */
    uint64_t limit;
};

/* Calls `each` for the newest `limit` transactions that match, newest first. `each` must not use the connection. */
enum status transactions_now_list(struct connection *connection, const struct transaction_filter *filter,
                                  struct arena *arena,
                                  void (*each)(void *context, const struct transaction_now *transaction),
                                  void *context);

#endif
