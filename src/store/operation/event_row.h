/* The columns of an event, and what reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_OPERATION_EVENT_ROW_H
#define RECAUDO_STORE_OPERATION_EVENT_ROW_H

#include "store/db/sql.h"
#include "store/operation/events.h"

/* Needs `events e` or `event_log e`. */
#define EVENT_COLUMNS "e.at, e.what, e.from_state, e.to_state, e.actor, e.reason, e.changes"

/* Reads exactly these columns. */
void event_get(struct sql *sql, struct arena *arena, struct event *out);

#endif
