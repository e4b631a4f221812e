/* Machines whose workers have refused their last reload (table last_done): a note is repeated as long as that is so. */
#ifndef RECAUDO_STORE_OPERATION_RELOAD_NOTES_H
#define RECAUDO_STORE_OPERATION_RELOAD_NOTES_H

#include "base/arena.h"
#include "store/db/connection.h"

/* For the workers of `host`, at least three times a minute. */
enum status reload_notes_add(struct connection *connection, const char *host);

/* The machines of the last minute, with commas between; empty: there is none. */
enum status reload_notes_read(struct connection *connection, struct arena *arena, struct text *out);

#endif
