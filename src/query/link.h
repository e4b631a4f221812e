/* A connection of a worker: its messages, one after the other, each with its reply. */
#ifndef RECAUDO_QUERY_LINK_H
#define RECAUDO_QUERY_LINK_H

#include "base/loop/loop.h"
#include "query/terms.h"

/* What all links share. */
struct asker {
    struct terms *terms; /* that queries begin under */
    struct query_limiter *limiter;
    struct link *links;
    size_t link_count, links_max;
    duration refused_at; /* a link, for want of room; 0: not yet */
    bool reload_refused; /* the terms are those read before */
    bool is_leaving;     /* no further messages are read */
};

/* Serves the connection on a task of its own, until the worker closes it or the asker leaves. Takes the descriptor.
 * Where there are as many as may be, the one that has been idle longest is closed for it; where none is idle, it is. */
void link_begin(struct asker *asker, int fd);

/* After is_leaving was set: those that are idle are closed. */
void links_leave(struct asker *asker);

#endif
