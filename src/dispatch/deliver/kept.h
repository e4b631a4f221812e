/*
 * The outcomes that a process keeps until they are recorded, each with its sending: those to be recorded, the oldest
 * first, and behind them those that are locked, because others have locked their rows.
 */
#ifndef RECAUDO_DISPATCH_DELIVER_KEPT_H
#define RECAUDO_DISPATCH_DELIVER_KEPT_H

#include "dispatch/deliver/sendings.h"

struct kept {
    size_t room;
    size_t count;                      /* to be recorded: the first ones */
    size_t locked;                     /* behind them */
    duration first_at;                 /* when the first of those to be recorded came, or came to be the first */
    struct delivery_outcome *outcomes; /* both have `room` items */
    struct sending **sendings;
};

struct kept kept_create(size_t room);
void kept_destroy(struct kept *kept); /* does not free the sendings */

/* Adds one to be recorded, behind the others. There must be room. */
void kept_add(struct kept *kept, struct sending *sending, const struct delivery_outcome *outcome);

/* Returns how many of those to be recorded, from the first on, to record in one transaction. */
size_t kept_at_once(const struct kept *kept);

/* Gives the first ones their current leases: a notification may have been leased again while its outcome waited. */
void kept_take_leases(struct kept *kept, size_t count);

/* Forgets the first ones of those to be recorded. */
void kept_forget_first(struct kept *kept, size_t count);

/* Puts the first one behind the others of the first `count`. */
void kept_put_first_behind(struct kept *kept, size_t count);

/* Makes the first one of those to be recorded the last of those that are locked. */
void kept_lock_first(struct kept *kept);

/* Makes the first one of those that are locked the first of those to be recorded. */
void kept_unlock_first(struct kept *kept);

#endif
