/* A browser's request and its parameters. Everything is valid as long as the request. */
#ifndef RECAUDO_CONSOLE_CORE_REQUEST_H
#define RECAUDO_CONSOLE_CORE_REQUEST_H

#include "base/arena.h"

struct console_request {
    struct text method; /* HEAD is stored as GET, with is_head */
    bool is_head;
    struct text path;         /* decoded, "/orders/17" */
    struct text query;        /* as sent, without the question mark */
    struct text body;         /* of a POST */
    struct text content_type; /* as sent */
    bool too_large, cut_short;
    struct text user; /* REMOTE_USER, a FastCGI parameter that no header of the client can set */
    struct text host, origin, fetch_site, cookie, accept_language;
    struct text id; /* for the log */
};

/* Whether more was sent than a form may have, 64 KiB, or than the list of payments in one may have, 16 MB. */
bool request_is_large(const struct console_request *request);

/* Whether the address and a form without a file have at most 30 parameters each, and each stands there once, decodes to
 * UTF-8 and has no control character but tabs and line ends. Otherwise a filter that was meant would be left out. */
bool request_is_sound(const struct console_request *request, struct arena *arena);

/*
 * Returns the parameter `name` of a sound request, decoded: request_query of the query, request_form of the body of a
 * form sent by POST. Empty if it is absent or empty, and if a field of a form with a file is longer than 64 KiB, not
 * UTF-8, or has other control characters. Of fields of such a form with one name, the first.
 */
struct text request_query(const struct console_request *request, const char *name, struct arena *arena);
struct text request_form(const struct console_request *request, const char *name, struct arena *arena);

/* Reads the parameter as a number. Returns false if it is not a number. */
MUST_USE bool request_query_number(const struct console_request *request, const char *name, struct arena *arena,
                                   uint64_t *out);

/*
 * Returns the id that the parameter gives to a filter, 0 if it is absent or empty. If it is no id: UINT64_MAX,
 * which no row has, so that a mangled link shows nothing rather than everything.
 */
uint64_t request_query_id(const struct console_request *request, const char *name, struct arena *arena);

/* Returns a file of a form (multipart/form-data), as sent. Empty if it is absent or has no bytes. */
struct text request_file(const struct console_request *request, const char *name);

/* Returns the value of a cookie, as sent; empty if it is absent. */
struct text request_cookie(const struct console_request *request, const char *name);

#endif
