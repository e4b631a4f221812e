/* The notifications that this dispatcher has in hand: from the claim until their outcome is recorded. */
#ifndef RECAUDO_DISPATCH_DELIVER_SENDINGS_H
#define RECAUDO_DISPATCH_DELIVER_SENDINGS_H

#include "base/arena.h"
#include "dispatch/deliver/merchant_slots.h"

/* One notification in hand. */
struct sending {
    struct notification notification; /* its texts lie in the arena */
    struct merchant_state *merchant;
    unsigned char lease[LEASE_BYTES];
    instant started_at;
    bool answered; /* by the endpoint, whatever it said, and without being asked to wait */
    struct arena *arena;
    struct sending *next; /* in the list of unused ones */
};

struct sendings;

struct sendings *sendings_create(void);

/* Forgets all sendings; their leases end by themselves. */
void sendings_destroy(struct sendings *sendings);

/*
 * Takes what was claimed under `lease` in hand; the texts are copied. NULL: it is in hand already, because its lease
 * ended before its outcome was recorded (the clock has stepped, the database was away). Then it goes on under the new
 * lease and is not to be sent again.
 */
struct sending *sendings_add(struct sendings *sendings, const struct notification *notification,
                             const unsigned char lease[LEASE_BYTES]);

/* Its outcome is recorded. */
void sendings_remove(struct sendings *sendings, struct sending *sending);

#endif
