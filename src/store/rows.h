/* Lists of columns that several statements select, and the functions that read them. For the files of this folder. */
#ifndef RECAUDO_STORE_ROWS_H
#define RECAUDO_STORE_ROWS_H

#include "domain/transaction.h"
#include "store/party_row.h"
#include "store/sql.h"

/* Needs `orders o`. */
#define ORDER_COLUMNS                                                                                                    \
    "o.id, o.version, o.state, o.origin, o.reference, o.amount, o.min_amount, o.max_amount, o.currency, o.description, " \
    "o.document, o.document_type, o.due_at, o.held_by, o.held_until, o.merchant_id"

/* Needs `accounts a`. */
#define ACCOUNT_COLUMNS "a.id, a.document, a.document_type, a.name, a.lastname1, a.lastname2, a.currency"

/* Needs `transactions t`. */
#define TRANSACTION_COLUMNS                                                                                            \
    "t.id, t.state, t.order_id, t.account_id, t.reference, t.amount, t.currency, t.commerce, t.description, "          \
    "t.window_ends_at, t.fingerprint"

/* Each reads exactly the columns of its list. False: the row's id is NULL, so an outer join found nothing. */
bool rows_get_order(struct sql *sql, struct arena *arena, struct order *out);
bool rows_get_account(struct sql *sql, struct arena *arena, struct account *out);
bool rows_get_transaction(struct sql *sql, struct arena *arena, struct transaction *out);

/* Runs and ends a statement whose only parameter is the name of a network or merchant, and which selects id, enabled, fixed_hash. */
enum status rows_find_party(struct sql *sql, struct text name, struct arena *arena, struct party_row *out);

#endif
