/* One request while a use case processes it. Everything in it is valid until the reply has been sent. */
#ifndef RECAUDO_API_WORKER_CALL_H
#define RECAUDO_API_WORKER_CALL_H

#include "api/worker/service.h"
#include "wire/reply.h"

/* A request as the edge received it. */
struct request {
    struct text method;
    struct text target; /* REQUEST_URI: path and query, still percent-encoded */
    struct text content_type;
    bool is_local;       /* the web server says that the request comes from this host */
    struct text address; /* REMOTE_ADDR: the caller's address as the web server, which knows about proxies, sees it */
    struct text body;
    bool body_too_large;                                      /* then body is empty */
    bool body_cut_short;                                      /* fewer bytes arrived than were announced */
    struct text signature_id, signature_timestamp, signature; /* headers Recaudo-Id, -Timestamp, -Signature */
};

/*
 * Time budget from the request's first byte to its reply: less than the web servers wait (8 s: nginx/recaudo.conf,
 * apache/recaudo.conf), and more than asking a merchant and storing its answer take.
 */
#define REQUEST_TIME (7 * SECOND)

/* Longest lock wait of a worker's statement, in seconds: short enough for a second attempt. */
enum { REQUEST_LOCK_WAIT = 1 };

struct call {
    struct service *service;
    struct arena *arena;
    const struct request *request;
    duration deadline; /* monotonic time: REQUEST_TIME after the first byte */
    struct text query;
    struct text parameter; /* value of {reference} or {order} in the route's path */
    bool by_merchant;      /* the path belongs to the merchants' API */
    bool by_customer;      /* the path is the slip's, so every reply is a page */
    /* Whether the calling network's ids need a character that no reference can have. Set once its checksum is valid. */
    bool new_ids_are_distinct, known_ids_are_distinct;
    uint64_t merchant_country; /* of the calling merchant, once its checksum is valid */
    struct fault fault;        /* for the reply's TEXT: which field, and what is wrong with it */
    /* For the log line: */
    const char *route;
    size_t route_number;   /* api/worker/route.h; ROUTE_NONE: no route serves it */
    struct text caller;    /* network's or merchant's name, once its checksum is valid */
    struct text said_name; /* sent and not verified, of a network or merchant that is known to exist; else empty */
    /* For the reply: */
    struct reply reply;
    const char *allow;    /* methods of the route, after REFUSED_METHOD; else NULL */
    uint64_t retry_after; /* seconds, after REFUSED_TOO_MANY */
};

/* Takes a database connection for the time that the request has left. Returns as pool_take_until: STATUS_OK, or
 * STATUS_AWAY. */
enum status call_take_connection(const struct call *call, struct connection **out);

/*
 * Converts a status of the store to a refusal:
 * GRANTED: STATUS_OK.
 * REFUSED_TRY_AGAIN (0028): a lost race (CHANGED, CLASH, AGAIN), an unknown outcome (UNSURE), no database (AWAY), no
 * room on its disk (FULL).
 * REFUSED_NETWORK_LIMIT: LIMIT.
 * REFUSED_PROCESSING_ERROR: FAULT, and NONE, which the use case should have handled.
 */
enum refusal call_refusal_of(enum status status);

/* Returns who acts, for the event log: "network:NAME" or "merchant:NAME"; "slip": the customers' page, which has no
 * caller. */
struct text call_actor(const struct call *call);

/* Sets the reply to a page (page/document.h). */
void call_reply_page(struct call *call, enum refusal refusal, struct text page);

/* Sets the reply to a refusal. */
void call_refuse(struct call *call, enum refusal refusal, const struct fault *fault);

#endif
