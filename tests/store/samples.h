/* Inserts sample rows as the owner. Values are SQL; a value that is not given has a usual default. Each function
 * returns the new id. */
#ifndef RECAUDO_TESTS_STORE_SAMPLES_H
#define RECAUDO_TESTS_STORE_SAMPLES_H

#include "database.h"

struct sample_merchant {
    const char *name, *commerce, *notify_url, *enabled;
};

struct sample_order {
    uint64_t merchant_id; /* 0: a new merchant is inserted with it */
    const char *po_id, *reference, *state, *amount, *min_amount, *max_amount, *currency, *description, *payment_means;
    const char *origin, *due_at, *held_by, *held_until, *paid_by;
};

struct sample_transaction {
    uint64_t network_id; /* 0: a new network is inserted with it */
    uint64_t order_id, account_id;
    const char *network_transaction, *state, *amount, *window_ends_at;
};

uint64_t sample_network(const char *name);
uint64_t insert_merchant(const struct sample_merchant *merchant);
uint64_t sample_account(const char *document);
uint64_t insert_order(const struct sample_order *order);
uint64_t insert_transaction(const struct sample_transaction *transaction);

#define new_merchant(...)    insert_merchant(&(const struct sample_merchant){__VA_ARGS__})
#define new_order(...)       insert_order(&(const struct sample_order){__VA_ARGS__})
#define new_transaction(...) insert_transaction(&(const struct sample_transaction){__VA_ARGS__})

/* Inserts a CONFIRMADA transaction of the order, which it holds until window_ends_at. Returns the transaction's id. */
uint64_t confirmed_payment(uint64_t order_id, const char *amount, const char *window_ends_at);

/* Makes the order APROBADA, paid by this CONFIRMADA transaction. */
void approve(uint64_t order_id, uint64_t transaction_id);

#define NOW         "UTC_TIMESTAMP(6)"
#define IN_AN_HOUR  "UTC_TIMESTAMP(6) + INTERVAL 1 HOUR"
#define AN_HOUR_AGO "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR"

#endif
