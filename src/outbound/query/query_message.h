/*
 * The messages between a worker and recaudo-query, one a packet of a unix socket (SOCK_SEQPACKET). Both programs belong
 * to one installation on one host, so numbers are sent in host format. The first number identifies the layout; another
 * layout is refused.
 *
 * recaudo-query parses what strangers send, so the worker trusts nothing in a reply that it has not checked:
 * query_reply_read refuses impossible sizes, numbers and texts.
 */
#ifndef RECAUDO_OUTBOUND_QUERY_QUERY_MESSAGE_H
#define RECAUDO_OUTBOUND_QUERY_QUERY_MESSAGE_H

#include "outbound/http.h"
#include "outbound/query/query_limiter.h"

/* Sizes of packets. URL and body of a query are far shorter than the limit; a reply's body has at most 64 KiB. */
enum { QUERY_MESSAGE_MAX = 32 * 1024, QUERY_REPLY_MAX = 80 * 1024, QUERY_BODY_MAX = 64 * 1024 };

/* How long a lookup that shares a query waits beyond the merchant's time-out, while the other stores the answer. The
 * worker waits longer, and recaudo-query ends the wait. */
#define QUERY_TIME_TO_STORE SECOND

enum query_message_kind {
    QUERY_ASK = 1, /* ask this merchant, or share the answer to the same query */
    QUERY_END,     /* after QUERY_ASKED: the outcome, for lookups that share the query */
    QUERY_USE      /* asks how many queries are in flight */
};

struct query_message {
    enum query_message_kind kind;
    struct limited_query query;  /* QUERY_ASK; its endpoint is the request's URL */
    struct http_request request; /* QUERY_ASK; at most one header */
    unsigned outcome;            /* QUERY_END */
};

enum query_reply_kind {
    QUERY_ASKED = 1, /* `reply` is the result */
    QUERY_SHARED,    /* `outcome` is that of another lookup's query */
    QUERY_LOST,      /* no outcome: the asker of a shared query is gone or slow, or recaudo-query lacked files */
    QUERY_FULL,      /* not asked: LIMITER_FULL */
    QUERY_RESTS,     /* not asked: LIMITER_RESTING */
    QUERY_IN_USE     /* `use` */
};

struct query_reply {
    enum query_reply_kind kind;
    struct http_reply reply; /* QUERY_ASKED; without its `problem` */
    bool rests;              /* QUERY_ASKED: the endpoint begins or continues to rest */
    unsigned outcome;        /* QUERY_SHARED */
    struct limiter_use use;  /* QUERY_IN_USE */
    bool reload_refused;     /* QUERY_IN_USE: it uses an older configuration */
};

/* Return the packet, in the arena. */
struct text query_message_write(const struct query_message *message, struct arena *arena);
struct text query_reply_write(const struct query_reply *reply, struct arena *arena);

/* False: malformed, or of another layout. The texts point into the packet. */
MUST_USE bool query_message_read(struct text packet, struct query_message *out);
MUST_USE bool query_reply_read(struct text packet, struct query_reply *out);

#endif
