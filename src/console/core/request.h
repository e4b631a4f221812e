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

/*
 * Returns the first parameter `name`, decoded: request_query of the query, request_form of the body of a form sent by
 * POST. Empty if it is absent, empty, not well-formed UTF-8, or has control characters other than tabs and line ends.
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
