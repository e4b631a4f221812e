/* The columns of an external query for display, and the function that reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_EXTERNAL_QUERY_ROWS_H
#define RECAUDO_STORE_EXTERNAL_QUERY_ROWS_H

#include "store/db/sql.h"
#include "store/external/queries.h"

/* Needs `external_queries q` and QUERY_TABLES. */
#define QUERY_COLUMNS                                                                                                  \
    "q.id, m.name, n.name, q.merchant_id, q.integration_id, q.network_id, q.reference, q.asked_at, q.duration_us,"     \
    " q.outcome, q.address, q.http_status, q.field, q.problem, q.said, q.order_id,"                                    \
    " IF(kept.merchant_id = q.merchant_id, kept.po_id, NULL), kept.merchant_id <> q.merchant_id"

#define QUERY_TABLES                                                                                                   \
    " STRAIGHT_JOIN merchants m ON m.id = q.merchant_id STRAIGHT_JOIN networks n ON n.id = q.network_id"               \
    " LEFT JOIN orders kept ON kept.id = q.order_id"

/* Reads exactly these columns. */
void query_row_get(struct sql *sql, struct arena *arena, struct query_row *out);

#endif
