/* The notifications that this dispatcher holds, from the lease until their outcome is recorded. */
#ifndef RECAUDO_DISPATCH_DELIVER_SENDINGS_H
#define RECAUDO_DISPATCH_DELIVER_SENDINGS_H

#include "base/arena.h"
#include "dispatch/deliver/merchant_slots.h"

/* One notification that is held. */
struct sending {
    struct notification notification; /* its texts are in the arena */
    struct merchant_state *merchant;
    unsigned char lease[LEASE_BYTES];
    duration leased_mono;          /* monotonic time; its lease began no earlier */
    duration lease_committed_mono; /* monotonic time at which its lease was committed */
    instant lease_committed_at;    /* about the same moment by the database's clock */
    instant started_at;
    bool answered; /* the endpoint replied with a status below 500 other than 429 */
    bool failed;   /* it did not. Neither: this process lacked files, so nothing is known about the endpoint */
    struct arena *arena;
    struct sending *next; /* in the list of unused or of waiting ones */
};

struct sendings;

struct sendings *sendings_create(void);

/* Frees all sendings; their leases expire in the database. */
void sendings_destroy(struct sendings *sendings);

/*
 * Adds a notification that was leased under `lease`; copies its texts. NULL: it is in hand already, because its lease
 * expired before its outcome was recorded (the clock stepped, or the database was unreachable). It continues under the
 * new lease; do not send it again.
 */
struct sending *sendings_add(struct sendings *sendings, const struct notification *notification,
                             const unsigned char lease[LEASE_BYTES]);

/* Removes a sending whose outcome is recorded. */
void sendings_remove(struct sendings *sendings, struct sending *sending);

#endif
