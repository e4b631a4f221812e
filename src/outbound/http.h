/*
 * The HTTP client for what merchants are told and asked: one POST with its body, to a URL that a merchant chose.
 *
 * The merchant's end is not trusted. One budget of time covers everything from the look-up of the name to the last byte
 * of the reply; the reply's size is bounded; every address is judged when it is connected to (outbound/address.h);
 * redirects are not followed; TLS is verified; proxies and credentials from the environment or the URL are not used. A
 * request of which a byte has left is never sent again behind the caller's back. Connections are reused while they are
 * fresh and nothing has come behind the last reply.
 *
 * A client sends many requests at the same time. It belongs to one thread; where that runs a loop (base/loop/loop.h),
 * the loop goes on with them. Creating the first one makes the process ignore SIGPIPE.
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
    size_t reply_max; /* bytes of the reply's body to take */
};

/* What failed below HTTP. */
enum http_error {
    HTTP_FINE,            /* a whole reply came, whatever its status; or its body was cut */
    HTTP_BAD_URL,         /* nothing was sent */
    HTTP_DNS,             /* the name has no address */
    HTTP_ADDRESS_REFUSED, /* it has none that may be connected to */
    HTTP_CONNECT,
    HTTP_CERTIFICATES, /* there are none to trust: the request was not sent */
    HTTP_TLS,
    HTTP_TIMEOUT,
    HTTP_PROTOCOL,  /* closed or reset before the end of the reply, or not HTTP */
    HTTP_TOO_LARGE, /* headers of more than HTTP_REPLY_HEADERS_MAX bytes */
    HTTP_FILES      /* this process could open no more files: nothing is known of the endpoint */
};

enum { HTTP_PROBLEM_SIZE = 256 };

struct http_reply {
    enum http_error error;
    int status; /* 0: none came */
    struct text body;
    bool cut;                        /* there was more than reply_max */
    char address[ADDRESS_TEXT_SIZE]; /* the last one judged or used; empty: none was reached */
    char problem[HTTP_PROBLEM_SIZE]; /* of HTTP_TLS: why, in the library's words; else empty */
    duration took;
    duration retry_after; /* Retry-After from now on; 0: not said, or past */
};

/* Whether the endpoint failed: no whole reply in time, or HTTP 429 or 5xx. A reply that is too large is one. */
bool http_reply_is_failure(const struct http_reply *reply);

/* "none", "url", "dns", "address", "connect", "certificates", "tls", "timeout", "protocol", "too_large",
 * "files". */
const char *http_error_name(enum http_error error);

struct http_client;

/* `guard` outlives the client. `ca_file`: certificates to trust instead of the system's; NULL: the system's. Where a
 * loop is open, the client is the loop's: only http_perform is for it, or, after http_client_tell, http_client_start
 * and http_client_next; and it is destroyed before the loop. */
struct http_client *http_client_create(const struct address_guard *guard, size_t in_flight_max, const char *ca_file);

/* What is in flight is broken off. */
void http_client_destroy(struct http_client *client);

/* Copies the request and sends it during the next waits. False: as many as it may have are in flight. */
MUST_USE bool http_client_start(struct http_client *client, const struct http_request *request, void *tag);

/*
 * In a client of a loop, before the first request: `ended` is called from the loop when replies are there, which it
 * takes with http_client_next. Nothing is called for a reply that is there at once (HTTP_BAD_URL): who starts a request
 * takes what is there afterwards.
 */
void http_client_tell(struct http_client *client, void (*ended)(void *of), void *of);

/* Works until a reply is there, `timeout` has passed, or `wake_fd` (-1: none) is readable. True: it is readable. */
bool http_client_wait(struct http_client *client, duration timeout, int wake_fd);

/* The next reply that is there, and the tag of its request. Its body lives until the next wait or next. False: there
 * is none. */
MUST_USE bool http_client_next(struct http_client *client, void **tag, struct http_reply *out);

/* For tests: how many are started and not yet taken with http_client_next. */
size_t http_client_in_flight(const struct http_client *client);

/*
 * One request and its reply; the body is the arena's. In a client of a loop, only on a task: others go on meanwhile,
 * with requests of the same client too, which must not become more than it may have. In any other, the client has
 * nothing else in flight.
 */
void http_perform(struct http_client *client, const struct http_request *request, struct arena *arena,
                  struct http_reply *out);

/* Who waits for a reply. */
struct http_asker {
    bool (*is_there)(void *of);
    void *of;
};

/*
 * The same, in a client of a loop, for an asker who may leave: looked at whenever the task is woken. False: it has
 * left, and the request was broken off.
 */
MUST_USE bool http_perform_for(struct http_client *client, const struct http_asker *asker,
                               const struct http_request *request, struct arena *arena, struct http_reply *out);

#endif
