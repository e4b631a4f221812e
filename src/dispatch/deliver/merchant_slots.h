/*
 * Divides the dispatcher's slots for sending between merchants, so that one merchant cannot slow down another:
 * - The number in flight to an endpoint starts small and doubles with each answer up to a limit, so an endpoint that
 *   hangs occupies few slots.
 * - An endpoint that recovers gets one notification at a time.
 * - A share of the slots is reserved for first attempts.
 * - For an endpoint that answers, more are leased than are in flight: about as many as it takes within a moment, so
 *   that sending does not wait for the database. One that hangs gets none ahead.
 */
#ifndef RECAUDO_DISPATCH_DELIVER_MERCHANT_SLOTS_H
#define RECAUDO_DISPATCH_DELIVER_MERCHANT_SLOTS_H

#include "base/config/config.h"
#include "dispatch/deliver/waiting.h"
#include "store/notification/deliveries.h"

struct merchant_slots;

struct merchant_state {
    uint64_t merchant_id;
    uint64_t in_flight;
    uint64_t window;             /* greatest number in flight */
    struct waiting_list waiting; /* leased and not yet sent */
    duration took;               /* about how long its endpoint takes to answer; 0: not known */
    duration answered_at;        /* the last time */
    bool is_due;                 /* it had due notifications when last asked, and has not been seen without since */
    bool rests;                  /* nothing may be sent now */
    bool recovers;               /* it has rested: one notification at a time */
    uint64_t failures;           /* failed rounds in a row; 0: there is no row in `endpoints` */
    uint64_t failed;             /* failures that are not recorded yet: until then it rests, too */
};

struct merchant_slots *merchant_slots_create(const struct config *config);
void merchant_slots_destroy(struct merchant_slots *merchants);

/* Updates the merchants from the list of those that have due notifications. */
void merchant_slots_refresh(struct merchant_slots *merchants, const struct due_merchant *due, size_t count);

/* `now` is clock_monotonic(). */

/* Chooses the merchants to lease for, in turn, and how many for each; at most `most` in all. Returns how many merchants
 * they are; 0: none with due notifications may have more. */
size_t merchant_slots_choose(struct merchant_slots *merchants, struct lease_share *shares, size_t size, uint64_t most,
                             duration now);

/* The next choice begins with this merchant. */
void merchant_slots_choose_next(struct merchant_slots *merchants, uint64_t merchant_id);

/* Whether it would be chosen. */
bool merchant_slots_may_lease(const struct merchant_slots *merchants, const struct merchant_state *merchant,
                              duration now);

/* Finds a merchant; NULL: not known. */
struct merchant_state *merchant_slots_find(const struct merchant_slots *merchants, uint64_t merchant_id);

/* Puts one that was leased in its merchant's list. */
void merchant_slots_wait(struct merchant_slots *merchants, struct sending *sending);

/* Takes the next one to send: of this merchant; of any, in turn. It is in flight then, until merchant_slots_ended.
 * NULL: none may be sent now. */
struct sending *merchant_slots_take(struct merchant_slots *merchants, struct merchant_state *merchant, duration now);
struct sending *merchant_slots_take_any(struct merchant_slots *merchants, duration now);

/* Some wait only for slots that other merchants have: whoever ends frees one for them. */
bool merchant_slots_are_short(const struct merchant_slots *merchants);

/* Takes one that waits and is not to be sent any more: its merchant rests, or it has waited for too long. `all`: any.
 * NULL: there is none. */
struct sending *merchant_slots_give_up(struct merchant_slots *merchants, duration now, bool all);

/* Records the end of a sending, which says whether the endpoint answered, after this time, or failed. What has failed
 * keeps the endpoint from others until merchant_slots_recorded, which takes how many failures were recorded. */
void merchant_slots_ended(struct merchant_slots *merchants, const struct sending *sending, duration took, duration now);
void merchant_slots_recorded(struct merchant_state *merchant, uint64_t failed);

uint64_t merchant_slots_in_flight(const struct merchant_slots *merchants);
uint64_t merchant_slots_waiting(const struct merchant_slots *merchants);

#endif
