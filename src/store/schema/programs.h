/* The schema's programs: its triggers, functions, procedures, views and scheduled events. For the schema's owner, who
 * alone sees all, where nothing else is said. */
#ifndef RECAUDO_STORE_SCHEMA_PROGRAMS_H
#define RECAUDO_STORE_SCHEMA_PROGRAMS_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * *missing: those that sql/foundation.sql makes and the database has not, "TRIGGER orders_guard, VIEW events"; empty:
 * none is. In the arena.
 */
enum status programs_missing(struct connection *connection, struct arena *arena, struct text *missing);

/*
 * *changed: triggers, routines and views that are there and are not as sql/foundation.sql makes them, because somebody
 * replaced them, and triggers, routines and scheduled events that he added; empty: none is. Compared are what they do,
 * when a trigger does it, in which order, and with whose rights; not the parameters of a routine, nor parentheses in a
 * view. In the arena.
 */
enum status programs_changed(struct connection *connection, struct arena *arena, struct text *changed);

#endif
