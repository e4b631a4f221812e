/*
 * A worker's connections to the process that asks merchants (recaudo-query), which has the internet that the worker has
 * not. Each carries one query at a time. Those that are idle are used again, and closed after 10 s. For the one thread
 * of a process with a loop (base/loop/loop.h).
 */
#ifndef RECAUDO_OUTBOUND_QUERY_QUERY_LINKS_H
#define RECAUDO_OUTBOUND_QUERY_QUERY_LINKS_H

#include "outbound/query/query_message.h"

struct query_links;
struct query_link;

/* To the socket at `path`, which must outlive them; at most so many at the same time. Connects nothing yet. */
struct query_links *query_links_create(const char *path, size_t max);
void query_links_destroy(struct query_links *links);

enum query_links_result {
    LINKS_ANSWERED, /* *reply */
    LINKS_FULL,     /* so many wait already: nothing was sent */
    LINKS_AWAY      /* nobody listens, or no answer came in time; logged. A query may have been sent. */
};

struct query_exchange {
    struct query_reply reply; /* its body is the arena's */
    struct query_link *link;  /* after QUERY_ASKED: query_links_end gives it back; else NULL */
};

/* Sends the message and waits for the reply, until that moment at most. Only on a task. */
enum query_links_result query_links_ask(struct query_links *links, const struct query_message *message, duration until,
                                        struct arena *arena, struct query_exchange *out);

/* Tells the outcome of what was asked to the lookups that share it. */
void query_links_end(struct query_links *links, struct query_exchange *exchange, unsigned outcome, struct arena *arena);

#endif
