/* Tests of the HTTP client against servers of the tests' own, all on loopback. */
#ifndef RECAUDO_TESTS_OUTBOUND_OUTBOUND_H
#define RECAUDO_TESTS_OUTBOUND_OUTBOUND_H

#include "unit/assert_text.h"

#include "outbound/http.h"
#include "stub.h"

#define MODULES(X)                                                                                                     \
    X(reply)                                                                                                           \
    X(failure)                                                                                                         \
    X(guard)                                                                                                           \
    X(tls)                                                                                                             \
    X(client)                                                                                                          \
    X(loop)                                                                                                            \
    X(notify)

#define X(module) TCase *module##_tests(void);
MODULES(X)
#undef X

enum { REQUESTS_MAX = 300, REPLY_MAX = 1000 };

/* What every test starts with: a plain stub, and a client that may talk to 127.0.0.0/8 and ::1. */
extern struct stub *stub;
extern struct address_guard guard;
extern struct http_client *client;
extern struct arena *arena;

/* The checked fixture that makes them. */
void begin(void);
void end(void);

/* Another client instead, allowed to talk to `ranges`. */
void use_client(const char *ranges, const char *ca_file);

/* A test case of that name with the fixture. */
TCase *tests_named(const char *name);

/* http://127.0.0.1:PORT and the path; in the arena. */
struct text url_of(const char *path);

/* A request to the URL, with a body, a header, and 10 s. */
struct http_request request_to(struct text url);

/* What comes back from there. */
struct http_reply post(struct text url);
struct http_reply post_to(const char *path);

/* Posts with this timeout, and proves that the reply comes soon after it at the latest. */
struct http_reply post_within(struct text url, duration timeout);

#endif
