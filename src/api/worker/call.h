/* One request on its way through a use case. Everything in it lives until the reply has been sent. */
#ifndef RECAUDO_API_WORKER_CALL_H
#define RECAUDO_API_WORKER_CALL_H

#include "api/worker/service.h"
#include "wire/reply.h"

/* A request as the edge received it. */
struct request {
    struct text method;
    struct text target; /* REQUEST_URI: path and query, still percent-encoded */
    struct text content_type;
    bool is_local;       /* the web server says that it comes from this host */
    struct text address; /* REMOTE_ADDR: who calls, as the web server says; it knows about proxies */
    struct text body;
    bool body_too_large;                                      /* then body is empty */
    bool body_cut_short;                                      /* fewer bytes came than were announced */
    struct text signature_id, signature_timestamp, signature; /* headers Recaudo-Id, -Timestamp, -Signature */
};

/*
 * From the request's first byte to its reply: less than the web servers wait (8 s: nginx/recaudo.conf,
 * apache/recaudo.conf), more than a merchant's answer and storing it take.
 */
#define REQUEST_TIME (7 * SECOND)

/* Lock waits of a worker's statements, in seconds: a try ends soon enough for another one. */
enum { REQUEST_LOCK_WAIT = 1 };

struct call {
    struct service *service;
    struct arena *arena;
    const struct request *request;
    duration deadline; /* of clock_monotonic: when its time is up; from the first byte REQUEST_TIME later */
    struct text query;
    struct text parameter; /* what stands for {reference} or {order} in the route's path */
    bool by_merchant;      /* the path is one of the merchants' */
    bool by_customer;      /* the path is that of the slip: a browser gets a page, whatever comes */
    /* Of the network that calls, once its checksum was right: whether ids need a character that no reference has. */
    bool new_ids_are_distinct, known_ids_are_distinct;
    uint64_t merchant_country; /* of the merchant that calls, once its checksum was right */
    struct fault fault;        /* for the reply's TEXT: which field, and what is wrong with it */
    /* For the log line: */
    const char *route;
    size_t route_number; /* api/worker/route.h; ROUTE_NONE: no route serves it */
    struct text caller;  /* network's or merchant's name, once its checksum was right */
    /* For the reply: */
    struct reply reply;
    const char *allow;    /* methods of the route, after REFUSED_METHOD; else NULL */
    uint64_t retry_after; /* seconds, after REFUSED_TOO_MANY */
};

/* Lends a database connection for as long as the request has time: STATUS_OK or STATUS_AWAY, as pool_take_until
 * says. */
enum status call_take_connection(const struct call *call, struct connection **out);

/*
 * What a status of the store means for the caller: GRANTED for STATUS_OK; REFUSED_TRY_AGAIN (0028) for a race that
 * was lost (CHANGED, CLASH, AGAIN), an unknown outcome and a database that is away; REFUSED_NETWORK_LIMIT for LIMIT;
 * REFUSED_PROCESSING_ERROR for FAULT, and for NONE, which the use case should have answered.
 */
enum refusal call_refusal_of(enum status status);

/* Sets the reply to a page (page/document.h). */
void call_reply_page(struct call *call, enum refusal refusal, struct text page);

/* Sets the reply to a refusal. */
void call_refuse(struct call *call, enum refusal refusal, const struct fault *fault);

#endif
