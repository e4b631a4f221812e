/* The notifications that this dispatcher holds, from the lease until their outcome is recorded. */
#ifndef RECAUDO_DISPATCH_DELIVER_SENDINGS_H
#define RECAUDO_DISPATCH_DELIVER_SENDINGS_H

#include "base/arena.h"
#include "dispatch/deliver/merchant_slots.h"

/* One notification that is held. */
struct sending {
    struct notification notification; /* its texts lie in the arena */
    struct merchant_state *merchant;
    unsigned char lease[LEASE_BYTES];
    duration leased_mono; /* its lease began no earlier, by the monotonic clock */
    duration held_mono;   /* when its lease was committed, by the same */
    instant held_at;      /* the same by the database's clock, about */
    instant started_at;
    bool answered; /* the endpoint replied, in whatever way, and did not ask to wait */
    bool failed;   /* it did not; neither: this process lacked files, and nothing is known of the endpoint */
    struct arena *arena;
    struct sending *next; /* in the list of unused ones, or of those that wait */
};

struct sendings;

struct sendings *sendings_create(void);

/* Frees all sendings; their leases expire in the database. */
void sendings_destroy(struct sendings *sendings);

/*
 * Adds a notification that was leased under `lease`; copies its texts. NULL: it is held already, because its lease
 * expired before its outcome was recorded (the clock stepped, or the database was away). It continues under the new
 * lease; do not send it again.
 */
struct sending *sendings_add(struct sendings *sendings, const struct notification *notification,
                             const unsigned char lease[LEASE_BYTES]);

/* Removes a sending whose outcome is recorded. */
void sendings_remove(struct sendings *sendings, struct sending *sending);

#endif
