/*
 * Divides the dispatcher's slots for sending between merchants, so that one merchant cannot slow down another:
 * - The number in flight to an endpoint starts small and doubles with each answer up to a limit, so an endpoint that
 *   hangs occupies few slots.
 * - An endpoint that recovers gets one notification at a time.
 * - A share of the slots is reserved for first attempts.
 */
#ifndef RECAUDO_DISPATCH_DELIVER_MERCHANT_SLOTS_H
#define RECAUDO_DISPATCH_DELIVER_MERCHANT_SLOTS_H

#include "base/config/config.h"
#include "store/notification/deliveries.h"

struct merchant_slots;

struct merchant_state {
    uint64_t merchant_id;
    uint64_t in_flight;
    uint64_t window;   /* greatest number in flight */
    bool is_due;       /* it had due notifications when last asked, and has not been seen without since */
    bool rests;        /* nothing may be sent now, also between a failure and its recording */
    bool recovers;     /* it has rested: one notification at a time */
    uint64_t failures; /* failed rounds in a row; 0: there is no row in `endpoints` */
};

struct merchant_slots *merchant_slots_create(const struct config *config);
void merchant_slots_destroy(struct merchant_slots *merchants);

/* Updates the merchants from the list of those that have due notifications. */
void merchant_slots_refresh(struct merchant_slots *merchants, const struct due_merchant *due, size_t count);

/*
 * Returns the next merchant, in turn, to lease notifications for, at most *most. NULL: no merchant with due
 * notifications may have more. *first_only: lease first attempts only, because the slots for retries are full.
 */
struct merchant_state *merchant_slots_next(struct merchant_slots *merchants, uint64_t *most, bool *first_only);

/* Record the start and the end of a sending. `answered`: the endpoint replied, in whatever way. */
void merchant_slots_started(struct merchant_slots *merchants, struct merchant_state *merchant);
void merchant_slots_ended(struct merchant_slots *merchants, struct merchant_state *merchant, bool answered);

uint64_t merchant_slots_in_flight(const struct merchant_slots *merchants);

#endif
