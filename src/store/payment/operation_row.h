/* The columns of a settlement's operation, and the function that reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_PAYMENT_OPERATION_ROW_H
#define RECAUDO_STORE_PAYMENT_OPERATION_ROW_H

#include "store/db/sql.h"
#include "store/payment/settlements.h"

/* Needs `transactions t`, `networks n`, `orders o` and `merchants m`. */
#define OPERATION_NAMES "n.name, t.network_transaction, m.name, o.po_id, t.currency, t.amount"

/* Reads the instant, IDSERVICE, the kind (from 1), and these columns. */
void operation_get(struct sql *sql, struct arena *scratch, struct operation *out);

#endif
