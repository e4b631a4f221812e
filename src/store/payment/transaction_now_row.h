/* The columns of a transaction for display, and the function that reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_PAYMENT_TRANSACTION_NOW_ROW_H
#define RECAUDO_STORE_PAYMENT_TRANSACTION_NOW_ROW_H

#include "store/db/sql.h"
#include "store/payment/transactions_now.h"

/* Needs `transactions t` and TRANSACTION_NOW_TABLES. */
#define TRANSACTION_NOW_COLUMNS                                                                                        \
    "v.id, v.network, v.network_transaction, v.reference, v.order_id, a.document, v.state_now, v.state_written,"       \
    " v.amount, v.currency, v.commerce, t.description, v.teller, t.given_names, t.surname1, t.surname2,"               \
    " v.registered_at, v.confirmed_at, v.window_ends_at, v.window_closed, v.finalised_at, v.cancelled_at"

#define TRANSACTION_NOW_TABLES " JOIN transactions_now v ON v.id = t.id LEFT JOIN accounts a ON a.id = t.account_id"

/* Reads exactly these columns. */
void transaction_now_get(struct sql *sql, struct arena *arena, struct transaction_now *out);

#endif
