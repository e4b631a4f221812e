/* The columns of an event, and the function that reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_OPERATION_EVENT_ROW_H
#define RECAUDO_STORE_OPERATION_EVENT_ROW_H

#include "store/db/sql.h"
#include "store/operation/events.h"

/* Needs `event_log e`. */
#define EVENT_COLUMNS "e.at, e.what, e.from_state, e.to_state, e.actor, e.reason, e.changes"

/* The order's event that a payment's event implies, in the same columns. */
#define EVENT_COLUMNS_OF_ORDER                                                                                         \
    "e.at, CASE e.to_state WHEN 'CONFIRMADA' THEN 'held' WHEN 'FINALIZADA' THEN 'state' ELSE 'released' END,"          \
    " 'PENDIENTE', IF(e.to_state = 'FINALIZADA', 'APROBADA', 'PENDIENTE'), e.actor, NULL, NULL"

/* Needs `transactions t`, as the table before. */
#define EVENTS_OF_PAYMENT                                                                                              \
    " STRAIGHT_JOIN event_log e FORCE INDEX (subject)"                                                                 \
    " ON e.subject = 'transaction' AND e.subject_id = t.id AND e.order_id = t.order_id"

/* Reads exactly these columns. */
void event_get(struct sql *sql, struct arena *arena, struct event *out);

#endif
