/*
 * Divides the dispatcher's slots for sending between merchants, so that one merchant cannot slow down another:
 * - The number in flight to an endpoint starts small and doubles with each answer up to a limit, so an endpoint that
 *   hangs occupies few slots.
 * - An endpoint that recovers gets one notification at a time.
 * - A share of the slots is reserved for first attempts.
 * - What ends counts until its outcome is recorded. A merchant never has more in flight and unrecorded than it leaves
 *   free for others, so one whose outcomes cannot be recorded stops no other.
 * - For an endpoint that answers, notifications are leased ahead of those in flight, so that sending does not wait for
 *   the database: about as many as it takes within a moment. An endpoint that hangs gets none ahead.
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
    uint64_t window;             /* limit of the number in flight */
    struct waiting_list waiting; /* leased and not yet sent */
    duration took;               /* average time that its endpoint takes to answer; 0: unknown */
    duration answered_at;        /* when it answered last */
    bool is_due;                 /* has due notifications, as far as is known */
    bool rests;                  /* nothing may be sent now */
    bool recovers;               /* it has rested, and gets one notification at a time */
    uint64_t failures;           /* failed rounds in a row; 0: it has no row in `endpoints` */
    uint64_t failed;             /* failures not recorded yet; until they are, nothing is sent to it */
    uint64_t unrecorded;         /* outcomes that are kept until they are recorded */
    uint64_t locked;             /* of these: others have locked their rows */
    bool told_share;             /* it was logged that locked ones fill its share */
};

/* How many outcomes of all merchants are kept at most: of all that may be in flight, and so many besides. */
enum { OUTCOMES_BESIDE_FLIGHT = 4 * OUTCOMES_AT_ONCE };
size_t merchant_slots_outcomes(const struct config *config);

struct merchant_slots *merchant_slots_create(const struct config *config);
void merchant_slots_destroy(struct merchant_slots *merchants);

/* Updates the merchants from the list of those with due notifications. */
void merchant_slots_refresh(struct merchant_slots *merchants, const struct due_merchant *due, size_t count);

/* Chooses in turn the merchants to lease for, and how many for each, at most `most` in all. Returns the number of
 * merchants; 0: none with due notifications may have more. Here and below `now` is monotonic time. */
size_t merchant_slots_choose(struct merchant_slots *merchants, struct lease_share *shares, size_t size, uint64_t most,
                             duration now);

/* Makes the next choice begin with this merchant. */
void merchant_slots_choose_next(struct merchant_slots *merchants, uint64_t merchant_id);

/* Returns whether the merchant would be chosen. */
bool merchant_slots_may_lease(const struct merchant_slots *merchants, const struct merchant_state *merchant,
                              duration now);

/* Finds a merchant; NULL: not known. */
struct merchant_state *merchant_slots_find(const struct merchant_slots *merchants, uint64_t merchant_id);

/* Adds a leased notification to its merchant's waiting list. */
void merchant_slots_wait(struct merchant_slots *merchants, struct sending *sending);

/* Take the next notification to send: of this merchant, or of any in turn. It is in flight until merchant_slots_ended.
 * NULL: none may be sent now. */
struct sending *merchant_slots_take(struct merchant_slots *merchants, struct merchant_state *merchant, duration now);
struct sending *merchant_slots_take_any(struct merchant_slots *merchants, duration now);

/* Returns whether notifications wait only for slots that other merchants have. Each one that ends frees a slot. */
bool merchant_slots_are_short(const struct merchant_slots *merchants);

/* Takes a waiting notification that must not be sent any more, because its merchant rests or it has waited too long.
 * `all`: takes any. NULL: there is none. */
struct sending *merchant_slots_give_up(struct merchant_slots *merchants, duration now, bool all);

/* _ended records the end of a sending, which says whether the endpoint answered, after `took`, or failed. After
 * failures nothing is sent to the endpoint until _recorded is told that they are recorded. Its outcome is kept until
 * _forget. */
void merchant_slots_ended(struct merchant_slots *merchants, const struct sending *sending, duration took, duration now);
void merchant_slots_recorded(struct merchant_state *merchant, uint64_t failed);
void merchant_slots_forget(struct merchant_slots *merchants, struct merchant_state *merchant);

/* Returns whether so many of the merchant are in flight and unrecorded that nothing may be sent to it. */
bool merchant_slots_share_is_full(const struct merchant_slots *merchants, const struct merchant_state *merchant);

uint64_t merchant_slots_in_flight(const struct merchant_slots *merchants);
uint64_t merchant_slots_waiting(const struct merchant_slots *merchants);

#endif
