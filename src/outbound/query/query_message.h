/*
 * What a worker and the process that asks merchants (recaudo-query) say to each other: one message a packet of a unix
 * socket (SOCK_SEQPACKET). Both are programs of one installation on one host, so numbers travel as they are; the first
 * one names the layout, and a message of another is refused.
 *
 * The process that asks parses what strangers send, so the worker believes nothing of a reply that it has not checked:
 * query_reply_read refuses sizes, numbers and texts that cannot be.
 */
#ifndef RECAUDO_OUTBOUND_QUERY_QUERY_MESSAGE_H
#define RECAUDO_OUTBOUND_QUERY_QUERY_MESSAGE_H

#include "outbound/http.h"
#include "outbound/query/query_limiter.h"

/* Of a packet. URL and body of a query are far shorter than its bound; a reply's body has at most 64 KiB. */
enum { QUERY_MESSAGE_MAX = 32 * 1024, QUERY_REPLY_MAX = 80 * 1024, QUERY_BODY_MAX = 64 * 1024 };

enum query_message_kind {
    QUERY_ASK = 1, /* ask this merchant, or share the answer to the same query */
    QUERY_END,     /* after a reply of QUERY_ASKED: this is the outcome, for those who share it */
    QUERY_USE      /* how many queries are in flight? */
};

struct query_message {
    enum query_message_kind kind;
    struct limited_query query;  /* QUERY_ASK; its endpoint is the request's URL */
    struct http_request request; /* QUERY_ASK; at most one header */
    unsigned outcome;            /* QUERY_END */
};

enum query_reply_kind {
    QUERY_ASKED = 1, /* `reply` is what came of it */
    QUERY_SHARED,    /* `outcome` is what somebody else's query came to */
    QUERY_LOST,      /* whoever sent the query that was shared is gone, or it takes too long */
    QUERY_FULL,      /* not asked: LIMITER_FULL */
    QUERY_RESTS,     /* not asked: LIMITER_RESTING */
    QUERY_IN_USE     /* `use` */
};

struct query_reply {
    enum query_reply_kind kind;
    struct http_reply reply; /* QUERY_ASKED */
    bool rests;              /* QUERY_ASKED: the endpoint begins or continues to rest */
    unsigned outcome;        /* QUERY_SHARED */
    struct limiter_use use;  /* QUERY_IN_USE */
    bool reload_refused;     /* QUERY_IN_USE: it goes on with the configuration read before */
};

/* The packet; the arena's. */
struct text query_message_write(const struct query_message *message, struct arena *arena);
struct text query_reply_write(const struct query_reply *reply, struct arena *arena);

/* False: not a message of this layout. The texts lie in the packet. */
MUST_USE bool query_message_read(struct text packet, struct query_message *out);
MUST_USE bool query_reply_read(struct text packet, struct query_reply *out);

#endif
