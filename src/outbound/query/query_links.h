/*
 * A worker's connections to recaudo-query, which asks merchants because the worker has no internet access. Each carries
 * one query at a time. Idle ones are reused, and closed after 10 s. For the one thread of a process with a loop
 * (base/loop/loop.h).
 */
#ifndef RECAUDO_OUTBOUND_QUERY_QUERY_LINKS_H
#define RECAUDO_OUTBOUND_QUERY_QUERY_LINKS_H

#include "outbound/query/query_message.h"

struct query_links;
struct query_link;

/* For the socket at `path`, which must outlive the result; at most `max` links at once. Does not connect yet. */
struct query_links *query_links_create(const char *path, size_t max);
void query_links_destroy(struct query_links *links);

enum query_links_result {
    LINKS_ANSWERED, /* *reply */
    LINKS_FULL,     /* `max` are in use; nothing was sent */
    LINKS_AWAY      /* no listener, or no answer in time; logged. A query may have been sent. */
};

struct query_exchange {
    struct query_reply reply; /* its body is in the arena */
    struct query_link *link;  /* after QUERY_ASKED: pass it to query_links_end; else NULL */
};

/* Sends the message and waits for the reply, until the monotonic time `until`. Call it on a task only. */
enum query_links_result query_links_ask(struct query_links *links, const struct query_message *message, duration until,
                                        struct arena *arena, struct query_exchange *out);

/* Sends the outcome of the query, for lookups that share it, and gives the link back. */
void query_links_end(struct query_links *links, struct query_exchange *exchange, unsigned outcome, struct arena *arena);

#endif
