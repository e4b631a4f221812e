#include "ctl/common/closed_windows.h"

#include "store/payment/windows.h"

struct closed_window {
    uint64_t order_id;
    struct closed_window *next;
};

void closed_windows_note(const struct context *context, struct closed_windows *windows, uint64_t order_id) {
    struct closed_window *new = arena_alloc(context->arena, sizeof *new);
    *new = (struct closed_window){order_id, windows->first};
    windows->first = new;
}

bool closed_windows_finalise_one(const struct context *context, uint64_t order_id) {
    enum status status = windows_finalise_order(context->connection, order_id, context->actor);
    return status == STATUS_OK || status == STATUS_CHANGED;
}

/* The same for all that were noted. False also: none was. */
static bool finalise_noted(const struct context *context, const struct closed_windows *windows) {
    bool changed = false;
    for (const struct closed_window *window = windows->first; window != NULL; window = window->next) {
        changed |= closed_windows_finalise_one(context, window->order_id);
        if (!connection_is_usable(context->connection)) {
            return false;
        }
    }
    return changed;
}

enum status closed_windows_list(struct closed_windows_listing *listing,
                                enum status (*read)(struct closed_windows_listing *listing)) {
    listing->records = record_list_create(listing->context->arena);
    enum status status = read(listing);
    if (status == STATUS_OK && finalise_noted(listing->context, &listing->closed)) {
        listing->records = record_list_create(listing->context->arena);
        status = read(listing);
    }
    return status;
}
