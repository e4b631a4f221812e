/* Many orders as one JSON text, so that a thousand of them cost one round trip. For orders_insert_all. */
#ifndef RECAUDO_STORE_ORDER_ORDER_ROWS_H
#define RECAUDO_STORE_ORDER_ORDER_ROWS_H

#include "store/order/orders.h"

/* The rows as a table, in a statement whose parameter is the text. */
#define ORDER_ROWS                                                                                                     \
    "JSON_TABLE(?, '$[*]' COLUMNS ("                                                                                   \
    " line INT UNSIGNED PATH '$[0]',"                                                                                  \
    " po_id VARCHAR(200) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[1]',"                                     \
    " reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin PATH '$[2]',"                                  \
    " amount DECIMAL(19,4) PATH '$[3]',"                                                                               \
    " currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin PATH '$[4]',"                                             \
    " due_at DATETIME(6) PATH '$[5]',"                                                                                 \
    " description VARCHAR(250) PATH '$[6]', payment_means VARCHAR(40) PATH '$[7]', email VARCHAR(100) PATH '$[8]',"    \
    " document VARCHAR(15) PATH '$[9]', document_type VARCHAR(40) PATH '$[10]', customer_name VARCHAR(150) PATH "      \
    "'$[11]'"                                                                                                          \
    ")) AS line"

/* Prints the included ones of orders[from] to orders[to - 1], with their index in the array as `line`. */
struct text order_rows_print(struct arena *arena, const struct batch_order *orders, size_t from, size_t to);

#endif
