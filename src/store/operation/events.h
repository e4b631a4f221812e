/* The event log: what happened to one thing, by whom and when. Triggers write it; nobody changes it. */
#ifndef RECAUDO_STORE_OPERATION_EVENTS_H
#define RECAUDO_STORE_OPERATION_EVENTS_H

#include "base/arena.h"
#include "store/db/connection.h"

struct event {
    instant at;
    struct text what;
    struct text from, to; /* states; may be empty */
    struct text actor;
    struct text reason;  /* may be empty */
    struct text changes; /* JSON: for each column [old, new], or "changed"; may be empty */
};

/* Calls `each` for every event of `subject` ("order", "transaction", "network", ...), oldest first. It must not use the
 * connection. */
enum status events_list(struct connection *connection, struct text subject, uint64_t subject_id, struct arena *arena,
                        void (*each)(void *context, const struct event *event), void *context);

#endif
