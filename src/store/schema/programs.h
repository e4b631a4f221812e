/* The schema's programs: its triggers, functions, procedures, views and scheduled events. For the schema's owner,
 * because other accounts do not see all of them. */
#ifndef RECAUDO_STORE_SCHEMA_PROGRAMS_H
#define RECAUDO_STORE_SCHEMA_PROGRAMS_H

#include "base/arena.h"
#include "store/db/connection.h"

/*
 * *missing: programs that sql/foundation.sql creates and the database does not have: "TRIGGER orders_guard, VIEW
 * events"; empty if there are none. In the arena.
 */
enum status programs_missing(struct connection *connection, struct arena *arena, struct text *missing);

/* *there: as before, those whose names the database has, whoever made them. In the arena. */
enum status programs_there(struct connection *connection, struct arena *arena, struct text *there);

/*
 * *changed: triggers, routines and views that differ from sql/foundation.sql, and triggers, routines and scheduled
 * events that it does not create; empty if there are none. In the arena. Compares what they do, when and in which order
 * triggers fire, the parameters of routines, and with whose rights they run. Does not compare parentheses in a view.
 * A program whose DEFINER is not that of most programs differs, whichever account that is: a restored dump may have
 * changed all of them.
 */
enum status programs_changed(struct connection *connection, struct arena *arena, struct text *changed);

#endif
