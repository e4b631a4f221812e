/*
 * The HTTP client for requests to merchants: one POST with its body, to a URL that a merchant chose.
 *
 * The merchant's side is not trusted. One time budget covers everything from name resolution to the last byte of the
 * reply. The reply's size is bounded, and every address is judged when it is connected to (outbound/address.h). TLS is
 * verified. Redirects are not followed, and proxies and credentials from the environment or the URL are not used. A
 * request is never repeated without the caller's knowledge once a byte of it was sent. Connections are reused while
 * they are fresh and nothing has arrived after the last reply.
 *
 * A client sends many requests at once. It belongs to one thread, and to its loop (base/loop/loop.h) if one is open.
 * Creating the first client makes the process ignore SIGPIPE.
 */
#ifndef RECAUDO_OUTBOUND_HTTP_H
#define RECAUDO_OUTBOUND_HTTP_H

#include "base/arena.h"
#include "base/clock.h"
#include "outbound/address.h"

enum { HTTP_HEADERS_MAX = 8, HTTP_REPLY_HEADERS_MAX = 64 * 1024 };

struct http_request {
    struct text url; /* http or https */
    struct text body;
    struct text headers[HTTP_HEADERS_MAX]; /* "Name: value" */
    size_t header_count;
    duration timeout;
    size_t reply_max; /* bytes of the reply's body to keep */
};

/* What failed below HTTP. */
enum http_error {
    HTTP_FINE,            /* the reply is complete, whatever its status, or its body was cut */
    HTTP_BAD_URL,         /* nothing was sent */
    HTTP_DNS,             /* the name has no address */
    HTTP_ADDRESS_REFUSED, /* none of its addresses is permitted */
    HTTP_CONNECT,
    HTTP_CERTIFICATES,  /* there are none to trust; the request was not sent */
    HTTP_TLS,           /* for a reason other than the next five */
    HTTP_TLS_EXPIRED,   /* the certificate has expired, or is not valid yet */
    HTTP_TLS_NAME,      /* the certificate is for another host */
    HTTP_TLS_AUTHORITY, /* no trusted authority issued the certificate, or its chain is incomplete */
    HTTP_TLS_VERSION,   /* the server speaks nothing newer than TLS 1.1 */
    HTTP_TLS_ABSENT,    /* the server speaks no TLS */
    HTTP_TIMEOUT,
    HTTP_PROTOCOL,  /* closed or reset before the end of the reply, or not HTTP */
    HTTP_TOO_LARGE, /* headers of more than HTTP_REPLY_HEADERS_MAX bytes */
    HTTP_FILES      /* this process could open no more files; nothing is known about the endpoint */
};

enum { HTTP_PROBLEM_SIZE = 256 };

struct http_reply {
    enum http_error error;
    int status; /* 0: no reply */
    struct text body;
    bool cut;                        /* the body was longer than reply_max */
    char address[ADDRESS_TEXT_SIZE]; /* the last one judged or used; empty: none */
    char problem[HTTP_PROBLEM_SIZE]; /* if TLS failed, the library's explanation; else empty */
    duration took;
    duration retry_after; /* time from now that Retry-After gives; 0: none, or past */
};

/*
 * Returns whether the endpoint failed: no complete reply in time, or HTTP 429 or 5xx. HTTP_TOO_LARGE is a reply;
 * HTTP_FILES says nothing about the endpoint.
 */
bool http_reply_is_failure(const struct http_reply *reply);

/* Returns "none", "url", "dns", "address", "connect", "certificates", "tls", "tls_expired", "tls_name",
 * "tls_authority", "tls_version", "tls_absent", "timeout", "protocol", "too_large", "files". */
const char *http_error_name(enum http_error error);

struct http_client;

/*
 * `guard` must outlive the client. `ca_file`: certificates to trust instead of the system's; NULL: the system's. If a
 * loop is open, the client belongs to it: use only http_perform, or, after http_client_tell, http_client_start and
 * http_client_next, and destroy the client before the loop.
 */
struct http_client *http_client_create(const struct address_guard *guard, size_t in_flight_max, const char *ca_file);

/* Aborts the requests in flight. */
void http_client_destroy(struct http_client *client);

/* Copies the request, and sends it during the next waits. False: in_flight_max requests are in flight. */
MUST_USE bool http_client_start(struct http_client *client, const struct http_request *request, void *tag);

/*
 * For a client of a loop, before the first request: the loop calls `ended` when replies have arrived, to be taken with
 * http_client_next. It is not called for an immediate reply (HTTP_BAD_URL), so take replies after starting requests
 * too.
 */
void http_client_tell(struct http_client *client, void (*ended)(void *of), void *of);

/* For tests: works until a reply has arrived, `timeout` has passed, or `wake_fd` (-1: none) is readable. True: it is
 * readable. */
bool http_client_wait(struct http_client *client, duration timeout, int wake_fd);

/*
 * Takes the next reply and the tag of its request. Its body is valid until the next wait or next. False: there is none.
 */
MUST_USE bool http_client_next(struct http_client *client, void **tag, struct http_reply *out);

/* For tests: number of requests started whose reply http_client_next has not taken. */
size_t http_client_in_flight(const struct http_client *client);

/*
 * Sends one request and waits for its reply, whose body is in the arena. In a client of a loop, call it on a task only.
 * Other tasks continue, and may use the same client, for at most in_flight_max requests together. Any other client must
 * have nothing else in flight.
 */
void http_perform(struct http_client *client, const struct http_request *request, struct arena *arena,
                  struct http_reply *out);

/* The party that waits for a reply. */
struct http_asker {
    bool (*is_there)(void *of);
    void *of;
};

/*
 * Like http_perform in a client of a loop, for an asker that may leave. Checks is_there whenever the task is woken.
 * False: the asker has left, and the request was aborted.
 */
MUST_USE bool http_perform_for(struct http_client *client, const struct http_asker *asker,
                               const struct http_request *request, struct arena *arena, struct http_reply *out);

#endif
