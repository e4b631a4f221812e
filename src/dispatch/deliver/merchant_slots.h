/*
 * Divides this dispatcher's slots for sending between merchants, so that one merchant cannot slow down another: a bound
 * in flight for each endpoint, which begins small and doubles with each answer, so that endpoints that hang never hold
 * many slots; one at a time while an endpoint recovers; a share of the slots for first attempts only.
 */
#ifndef RECAUDO_DISPATCH_DELIVER_MERCHANT_SLOTS_H
#define RECAUDO_DISPATCH_DELIVER_MERCHANT_SLOTS_H

#include "base/config/config.h"
#include "store/notification/deliveries.h"

struct merchant_slots;

struct merchant_state {
    uint64_t merchant_id;
    uint64_t in_flight;
    uint64_t window;   /* how many it may have in flight */
    bool is_due;       /* it had something due when last asked, and was not seen empty since */
    bool rests;        /* nothing is to be sent now; from a failure on until it is recorded, too */
    bool recovers;     /* it has rested: one at a time */
    uint64_t failures; /* failed rounds in a row; 0: there is no row in `endpoints` */
};

struct merchant_slots *merchant_slots_create(const struct config *config);
void merchant_slots_destroy(struct merchant_slots *merchants);

/* Takes over what the database says is due. */
void merchant_slots_refresh(struct merchant_slots *merchants, const struct due_merchant *due, size_t count);

/*
 * The next merchant to claim for, in turn, and how many: NULL when none is due that may have more. *first_only: only
 * first attempts may be taken, because the slots for others are full.
 */
struct merchant_state *merchant_slots_next(struct merchant_slots *merchants, uint64_t *most, bool *first_only);

/* Notes the start, and the end, of a sending. `answered`: the endpoint replied, whatever it said. */
void merchant_slots_started(struct merchant_slots *merchants, struct merchant_state *merchant);
void merchant_slots_ended(struct merchant_slots *merchants, struct merchant_state *merchant, bool answered);

uint64_t merchant_slots_in_flight(const struct merchant_slots *merchants);

#endif
