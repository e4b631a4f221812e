/* A request of a browser, and its parameters. Everything lives as long as the request. */
#ifndef RECAUDO_CONSOLE_CORE_REQUEST_H
#define RECAUDO_CONSOLE_CORE_REQUEST_H

#include "base/arena.h"

struct console_request {
    struct text method; /* HEAD is told as GET */
    bool is_head;
    struct text path;         /* decoded, "/orders/17" */
    struct text query;        /* as sent, without the question mark */
    struct text body;         /* of a POST */
    struct text content_type; /* as sent */
    bool too_large, cut_short;
    struct text user; /* REMOTE_USER, a parameter that no header of the client reaches */
    struct text host, origin, fetch_site, cookie, accept_language;
    struct text id; /* for the log */
};

/*
 * The first parameter `name`, decoded: of the query, or of the body of a POST of a form. Empty: it is not there, is
 * empty, or is not well-formed UTF-8; control characters other than line ends make it empty too.
 */
struct text request_query(const struct console_request *request, const char *name, struct arena *arena);
struct text request_form(const struct console_request *request, const char *name, struct arena *arena);

/* The same, as a number; false: it is no number. */
MUST_USE bool request_query_number(const struct console_request *request, const char *name, struct arena *arena,
                                   uint64_t *out);

/* A file of a form (multipart/form-data), as it was sent. Empty: there is none, or it has no bytes. */
struct text request_file(const struct console_request *request, const char *name);

/* The value of a cookie as sent; empty: there is none. */
struct text request_cookie(const struct console_request *request, const char *name);

#endif
