/* One connection of a worker. Its messages are served one after the other, each with its reply. */
#ifndef RECAUDO_QUERY_LINK_H
#define RECAUDO_QUERY_LINK_H

#include "base/loop/loop.h"
#include "query/terms.h"

/* What all links share. */
struct asker {
    struct terms *terms; /* for queries that begin now */
    struct query_limiter *limiter;
    struct link *links;
    size_t link_count, links_max;
    duration refused_at; /* when a link was last refused for lack of room; 0: never */
    bool reload_refused; /* the terms are older than the last reload */
    bool is_leaving;     /* read no further messages */
};

/*
 * Serves the connection on a task of its own, until the worker closes it or the asker leaves. Takes ownership of the
 * descriptor. If there are links_max links, closes the one that has been idle longest; if none is idle, closes `fd`.
 */
void link_begin(struct asker *asker, int fd);

/* Call it after setting is_leaving: closes the idle links. */
void links_leave(struct asker *asker);

#endif
