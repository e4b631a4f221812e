/* Orders that a command reads after their window has closed and before the approval is written (doc/protocol.md,
 * "Time"). */
#ifndef RECAUDO_CTL_COMMON_CLOSED_WINDOWS_H
#define RECAUDO_CTL_COMMON_CLOSED_WINDOWS_H

#include "ctl/core/command.h"
#include "ctl/core/record.h"

/* Orders by pv_po_id, in the context's arena. Initialise with {0}. */
struct closed_windows {
    struct closed_window *first;
};

/* Notes an order. Does not use the connection, so it may be called between rows. */
void closed_windows_note(const struct context *context, struct closed_windows *windows, uint64_t order_id);

/*
 * Writes the approval of an order, without waiting for locks.
 * true: it was written, or the order has changed meanwhile; read again.
 * false: it could not be written; what was read is still valid.
 */
MUST_USE bool closed_windows_finalise_one(const struct context *context, uint64_t order_id);

/* A list of rows, some of which may belong to orders whose window has closed. */
struct closed_windows_listing {
    const struct context *context;
    const void *filter; /* passed to `read` */
    struct record_list *records;
    struct closed_windows closed; /* noted while reading */
};

/* Reads a list with `read`, which adds to listing->records. Reads it again if an approval was written for a row. */
enum status closed_windows_list(struct closed_windows_listing *listing,
                                enum status (*read)(struct closed_windows_listing *listing));

#endif
