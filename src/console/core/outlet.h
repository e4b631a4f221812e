/* Where the reply goes: a page at once, or a file in pieces. */
#ifndef RECAUDO_CONSOLE_CORE_OUTLET_H
#define RECAUDO_CONSOLE_CORE_OUTLET_H

#include "base/arena.h"

struct outlet {
    /* Sends bytes; false: the reader has gone. */
    bool (*send)(void *context, struct text bytes);
    /* False: the reader has gone, or the process is to stop. */
    bool (*is_wanted)(void *context);
    void *context;
    bool is_head; /* no body is sent */
    bool has_begun;
    bool has_failed;
    int status; /* what was sent; for the log */
};

/* Sends the header of a page or file, with the headers that every reply has. `headers`: more lines, each ended by CRLF.
 * `size` is that of the body; OUTLET_STREAM: it is not known yet. */
#define OUTLET_STREAM SIZE_MAX
void outlet_begin(struct outlet *outlet, int status, const char *content_type, struct text headers, size_t size);

/* Sends a piece of the body. False: the reader has gone; stop. */
bool outlet_send(struct outlet *outlet, struct text bytes);

/* Whether a walk that feeds the reply is to go on; asked between two statements. */
bool outlet_is_wanted(const struct outlet *outlet);

/* Begins a CSV file that the browser saves by that name ([a-z0-9.-]); send its lines with outlet_send. A page that
 * calls this returns STATUS_OK and writes no html. */
void outlet_begin_csv(struct outlet *outlet, const char *file_name);

#endif
