/* One request from its reading to its reply: who asks, may they, which page, and what became of it. */
#ifndef RECAUDO_CONSOLE_HANDLE_H
#define RECAUDO_CONSOLE_HANDLE_H

#include "console/core/outlet.h"
#include "console/core/request.h"
#include "store/pool/pool.h"

/* What all requests share. */
struct console {
    const struct config *config;
    struct pool *pool;
    struct text style_address; /* with a digest of the style sheet */
};

/* Replies through the outlet; logs the request. */
void handle_request(const struct console *console, const struct console_request *request, struct outlet *outlet,
                    struct arena *arena);

/* The address of the style sheet, with the beginning of its digest: browsers keep each version for a year. */
struct text handle_style_address(struct arena *arena);

#endif
