/* Notes of the programs of a machine (table last_done): what they cannot do, and that its workers serve. A note is
 * repeated while it is true. One dated more than a minute in the future was written before the database's clock was set
 * back, and is ignored. */
#ifndef RECAUDO_STORE_OPERATION_TROUBLES_H
#define RECAUDO_STORE_OPERATION_TROUBLES_H

#include "base/arena.h"
#include "store/operation/health.h"

enum trouble {
    TROUBLE_HELD,       /* a dispatcher does not seal, because the database's seals are not those of its seal_file */
    TROUBLE_RELOAD,     /* workers refused their last reload */
    TROUBLE_UNRECORDED, /* a dispatcher sends nothing, because it cannot record outcomes of notifications */
    TROUBLE_SEAL_FILE,  /* a dispatcher cannot read its seal_file, or write seals to it */
    TROUBLE_RIGHTS,     /* workers lack a right or function that requests need */
    TROUBLE_COUNT
};

/* Returns how long after a note the trouble is assumed to last; 0: never, because `seal_every` is 0 (off). */
duration trouble_lasts(enum trouble trouble, duration seal_every);

/* Returns true if a trouble with this last note still lasts. */
bool trouble_is_on(const struct heartbeat *noted, enum trouble trouble, duration seal_every);

/* Notes a trouble for the programs of `host`. */
enum status troubles_note(struct connection *connection, enum trouble trouble, struct text host);

/* *out: the programs of `host` have noted it within this time. */
enum status troubles_was_noted(struct connection *connection, enum trouble trouble, struct text host, duration within,
                               bool *out);

/* Reads when each was last noted, on any machine. */
enum status troubles_last(struct connection *connection, struct heartbeat out[TROUBLE_COUNT]);

/* *out: up to 20 machines that noted it within this time, separated by commas; empty if none did. In the arena. */
enum status troubles_hosts(struct connection *connection, enum trouble trouble, duration within, struct arena *arena,
                           struct text *out);

/* Notes that the workers of `host` serve. They do so every ten seconds. */
enum status workers_note(struct connection *connection, struct text host);

/* The note was written before the database's clock was set back, so its age is unknown. */
#define SERVED_UNKNOWN ((duration) - 1)

/* Calls `each` for every machine whose workers have ever noted that, the latest first and those of SERVED_UNKNOWN last,
 * up to 1000. `each` must not use the connection. */
enum status workers_hosts(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, struct text host, duration ago), void *context);

#endif
