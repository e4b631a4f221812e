/* What programs note of their machine (table last_done) because they cannot do it, and that workers serve there: a note
 * is repeated as long as that is so. One that lies more than a minute in the future was written before the database's
 * clock was set back, and is as if there were none. */
#ifndef RECAUDO_STORE_OPERATION_TROUBLES_H
#define RECAUDO_STORE_OPERATION_TROUBLES_H

#include "base/arena.h"
#include "store/operation/health.h"

enum trouble {
    TROUBLE_HELD,       /* a dispatcher does not seal: the database's seals are not those of its seal_file */
    TROUBLE_RELOAD,     /* workers refused their last reload */
    TROUBLE_UNRECORDED, /* a dispatcher sends nothing: it cannot record what becomes of notifications */
    TROUBLE_SEAL_FILE,  /* a dispatcher cannot read its seal_file, or write seals to it */
    TROUBLE_RIGHTS,     /* workers lack a right, or a function, that requests need */
    TROUBLE_COUNT
};

/* For so long after a note the trouble is taken to last; 0: it is none, because `seal_every` is 0, off. */
duration trouble_lasts(enum trouble trouble, duration seal_every);

/* Whether one lasts that was noted then. */
bool trouble_is_on(const struct heartbeat *noted, enum trouble trouble, duration seal_every);

/* For the programs of `host`. */
enum status troubles_note(struct connection *connection, enum trouble trouble, struct text host);

/* Whether the programs of `host` have noted it within this time. */
enum status troubles_was_noted(struct connection *connection, enum trouble trouble, struct text host, duration within,
                               bool *out);

/* When each was noted last, on any machine. */
enum status troubles_last(struct connection *connection, struct heartbeat out[TROUBLE_COUNT]);

/* The machines of which one was noted within this time, with commas between; empty: there is none. In the arena. */
enum status troubles_hosts(struct connection *connection, enum trouble trouble, duration within, struct arena *arena,
                           struct text *out);

/* The workers of `host` serve. They note it every ten seconds. */
enum status workers_note(struct connection *connection, struct text host);

/* The workers noted it before the database's clock was set back: how long ago is unknown. */
#define SERVED_UNKNOWN ((duration) - 1)

/* Calls `each` for every machine whose workers have ever noted that, the last first, those of SERVED_UNKNOWN at the
 * end, up to 1000. It must not use the connection. */
enum status workers_hosts(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, struct text host, duration ago), void *context);

#endif
