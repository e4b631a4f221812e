/* The columns of an order for display, and the function that reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_ORDER_ORDER_NOW_ROW_H
#define RECAUDO_STORE_ORDER_ORDER_NOW_ROW_H

#include "store/db/sql.h"
#include "store/order/orders_now.h"

#define ORDER_NOW_AMOUNT                                                                                               \
    "IF(o.amount = 0, COALESCE((SELECT p.amount FROM transactions p WHERE p.id = o.paid_by), 0), o.amount)"

/* Needs `orders o` and `orders_now v`. */
#define ORDER_NOW_COLUMNS                                                                                              \
    "v.id, v.merchant, v.po_id, v.reference, v.state_now, v.state_written, " ORDER_NOW_AMOUNT ", o.min_amount,"        \
    " o.max_amount,"                                                                                                   \
    " v.currency, v.description, o.payment_means, o.email, o.document, o.document_type, o.customer_name, v.origin,"    \
    " v.due_at, v.held_until, v.window_closed, v.created_at, v.changed_at, v.changed_by, o.token"

/* Reads exactly these columns. */
void order_now_get(struct sql *sql, struct arena *arena, struct order_now *out);

#endif
