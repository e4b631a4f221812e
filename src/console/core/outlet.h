/* Sends the reply: a page at once, or a file in pieces. */
#ifndef RECAUDO_CONSOLE_CORE_OUTLET_H
#define RECAUDO_CONSOLE_CORE_OUTLET_H

#include "base/arena.h"

struct outlet {
    /* Sends bytes. Returns false if the client has closed the connection. */
    bool (*send)(void *context, struct text bytes);
    /* Returns false if the client has closed the connection, or the process is stopping. */
    bool (*is_wanted)(void *context);
    void *context;
    bool is_head; /* a HEAD request: no body is sent */
    bool has_begun;
    bool has_failed;
    int status; /* the HTTP status that was sent, for the log */
};

/* Sends the header of a page or file, including the header lines of every reply. `headers`: further lines, each ended
 * by CRLF. `size`: the body's; OUTLET_STREAM: not known yet. */
#define OUTLET_STREAM SIZE_MAX
void outlet_begin(struct outlet *outlet, int status, const char *content_type, struct text headers, size_t size);

/* Sends a piece of the body. Returns false if the client has closed the connection; stop then. */
bool outlet_send(struct outlet *outlet, struct text bytes);

/* Whether to continue producing the reply; call it between two statements. */
bool outlet_is_wanted(const struct outlet *outlet);

/* Begins a CSV file that the browser saves under that name ([a-z0-9.-]); send its lines with outlet_send. A page that
 * calls this returns STATUS_OK and writes no HTML. */
void outlet_begin_csv(struct outlet *outlet, const char *file_name);

#endif
