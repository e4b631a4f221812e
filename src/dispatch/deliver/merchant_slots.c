#include "dispatch/deliver/merchant_slots.h"

#include "base/memory.h"
#include "dispatch/deliver/delivery_log.h"
#include "dispatch/deliver/sendings.h"

#include <search.h>

/* Retries may fill 3 of 4 slots. */
enum { RETRY_SHARE_OF_4 = 3, FIRST_WINDOW = 4 };

/* How many to lease ahead: what the endpoint takes within this time, bounded per merchant and for all together. */
#define AHEAD_FOR (200 * MILLISECOND)
enum { AHEAD_OF_ONE = 512, AHEAD_OF_ALL = 1024, SHARE_OF_MANY = 16 };

/* An endpoint that has been silent for longer gets none ahead, however fast it was. */
#define SILENCE_LONGEST SECOND

/*
 * A notification that has waited longer is given back: its URL and secrets were read with the lease and may have
 * changed.
 */
#define WAIT_LONGEST SECOND

/*
 * A notification leased longer ago is given back too, in case leasing itself was slow. The rest of the lease is needed
 * for the attempt and its record.
 */
#define LEASE_USED_LONGEST (10 * SECOND)

struct merchant_slots {
    const struct config *config;
    void *tree;                  /* of struct merchant_state, by merchant_id */
    struct merchant_state **all; /* the same, for round-robin */
    size_t count, room, turn, turn_to_lease;
    uint64_t in_flight, waiting, unrecorded;
    bool short_of_slots;
};

size_t merchant_slots_outcomes(const struct config *config) {
    return config->dispatcher.in_flight + OUTCOMES_BESIDE_FLIGHT;
}

struct merchant_slots *merchant_slots_create(const struct config *config) {
    struct merchant_slots *merchants = memory_zeroed(1, sizeof *merchants);
    merchants->config = config;
    return merchants;
}

void merchant_slots_destroy(struct merchant_slots *merchants) {
    tdestroy(merchants->tree, free);
    free(merchants->all);
    free(merchants);
}

static int compare_merchants(const void *a, const void *b) {
    uint64_t left = ((const struct merchant_state *)a)->merchant_id,
             right = ((const struct merchant_state *)b)->merchant_id;
    return (left > right) - (left < right);
}

static void append_merchant(struct merchant_slots *merchants, struct merchant_state *merchant) {
    if (merchants->count == merchants->room) {
        merchants->room = merchants->room == 0 ? 64 : 2 * merchants->room;
        merchants->all = memory_grown(merchants->all, merchants->room, sizeof(struct merchant_state *));
    }
    merchants->all[merchants->count++] = merchant;
}

/* The window of an endpoint that has not answered yet. */
static uint64_t first_window(const struct merchant_slots *merchants) {
    uint64_t widest = merchants->config->dispatcher.in_flight_per_endpoint;
    return FIRST_WINDOW < widest ? FIRST_WINDOW : widest;
}

struct merchant_state *merchant_slots_find(const struct merchant_slots *merchants, uint64_t merchant_id) {
    const struct merchant_state key = {.merchant_id = merchant_id};
    struct merchant_state **found = tfind(&key, &merchants->tree, compare_merchants);
    return found == NULL ? NULL : *found;
}

static struct merchant_state *find_or_add(struct merchant_slots *merchants, uint64_t merchant_id) {
    struct merchant_state *found = merchant_slots_find(merchants, merchant_id);
    if (found != NULL) {
        return found;
    }
    struct merchant_state *merchant = memory_zeroed(1, sizeof *merchant);
    merchant->merchant_id = merchant_id;
    merchant->window = first_window(merchants);
    if (tsearch(merchant, &merchants->tree, compare_merchants) == NULL) {
        abort();
    }
    append_merchant(merchants, merchant);
    return merchant;
}

void merchant_slots_refresh(struct merchant_slots *merchants, const struct due_merchant *due, size_t count) {
    for (size_t i = 0; i < merchants->count; i++) {
        merchants->all[i]->is_due = false;
    }
    for (size_t i = 0; i < count; i++) {
        struct merchant_state *merchant = find_or_add(merchants, due[i].merchant_id);
        if (merchant->failures >= merchants->config->dispatcher.rest_after && due[i].failures == 0) {
            delivery_log_end_of_rest(&due[i]);
        }
        merchant->is_due = true;
        merchant->rests = due[i].rests;
        merchant->recovers = due[i].failures >= merchants->config->dispatcher.rest_after;
        merchant->failures = due[i].failures;
    }
}

/* Returns the number of slots that retries may fill. */
static uint64_t slots_for_retries(const struct merchant_slots *merchants) {
    return (merchants->config->dispatcher.in_flight * RETRY_SHARE_OF_4 + 3) / 4;
}

static uint64_t at_once(const struct merchant_state *merchant) {
    return merchant->recovers ? 1 : merchant->window;
}

static uint64_t least(uint64_t one, uint64_t other) {
    return one < other ? one : other;
}

static uint64_t rest_of(uint64_t bound, uint64_t taken) {
    return bound > taken ? bound - taken : 0;
}

/*
 * Returns how many more the merchant may have in flight if all merchants together have `slots`. A merchant never takes
 * more than it leaves free. So another one finds a slot, however many busy endpoints begin to hang.
 */
static uint64_t free_slots(const struct merchant_slots *merchants, const struct merchant_state *merchant,
                           uint64_t slots) {
    uint64_t free = rest_of(slots, merchants->in_flight), own = rest_of(at_once(merchant), merchant->in_flight);
    return least(own, (rest_of(free, merchant->in_flight) + 1) / 2);
}

/* The same rule as of slots: another merchant finds room, however many outcomes of some cannot be recorded. */
bool merchant_slots_share_is_full(const struct merchant_slots *merchants, const struct merchant_state *merchant) {
    uint64_t taken = merchants->in_flight + merchants->unrecorded;
    return merchant->in_flight + merchant->unrecorded >= rest_of(merchant_slots_outcomes(merchants->config), taken);
}

/*
 * Returns how many may wait for a slot if those of all merchants may be `bound`. 0 if it is unknown how soon a slot is
 * free.
 */
static uint64_t room_ahead(const struct merchant_slots *merchants, const struct merchant_state *merchant,
                           uint64_t bound, duration now) {
    if (merchant->took == 0 || merchant->recovers || now - merchant->answered_at > SILENCE_LONGEST) {
        return 0;
    }
    uint64_t soon = merchant->window * (uint64_t)AHEAD_FOR / (uint64_t)merchant->took;
    uint64_t fair = (rest_of(bound, merchants->waiting) + merchant->waiting.count) / 2;
    return least(least(soon, AHEAD_OF_ONE), fair);
}

/*
 * Returns how many more to lease. 0 until half of what the merchant may have is free, because leasing one costs nearly
 * as much as leasing many.
 */
static uint64_t wanted(const struct merchant_slots *merchants, const struct merchant_state *merchant, uint64_t slots,
                       uint64_t bound, duration now) {
    uint64_t free = free_slots(merchants, merchant, slots), waiting = merchant->waiting.count;
    bool may_send = !merchant->rests && merchant->failed == 0 && !merchant_slots_share_is_full(merchants, merchant);
    if (!merchant->is_due || !may_send || (free == 0 && merchant->in_flight == 0)) {
        return 0;
    }
    uint64_t ahead = room_ahead(merchants, merchant, bound, now), held = merchant->in_flight + waiting;
    uint64_t more = rest_of(free + ahead, waiting);
    return 2 * rest_of(at_once(merchant) + ahead, held) < at_once(merchant) + ahead ? 0 : more;
}

/* Leases first attempts only if retries have no room. */
static struct lease_share share_of(const struct merchant_slots *merchants, const struct merchant_state *merchant,
                                   duration now) {
    struct lease_share share = {.merchant_id = merchant->merchant_id};
    share.most = wanted(merchants, merchant, slots_for_retries(merchants), AHEAD_OF_ALL * RETRY_SHARE_OF_4 / 4, now);
    if (share.most == 0) {
        share.first_attempts_only = true;
        share.most = wanted(merchants, merchant, merchants->config->dispatcher.in_flight, AHEAD_OF_ALL, now);
    }
    return share;
}

bool merchant_slots_may_lease(const struct merchant_slots *merchants, const struct merchant_state *merchant,
                              duration now) {
    return share_of(merchants, merchant, now).most > 0;
}

/*
 * Returns the largest share while several merchants want one, so that none waits long because others have much to send.
 */
static uint64_t largest_share(const struct merchant_slots *merchants, uint64_t most, duration now) {
    uint64_t wanting = 0;
    for (size_t i = 0; i < merchants->count; i++) {
        wanting += merchant_slots_may_lease(merchants, merchants->all[i], now);
    }
    return wanting == 0 || most / wanting < SHARE_OF_MANY ? SHARE_OF_MANY : most / wanting;
}

/*
 * Counts chosen notifications as in flight or waiting until all are chosen, so that the next merchant sees these slots
 * taken.
 */
size_t merchant_slots_choose(struct merchant_slots *merchants, struct lease_share *shares, size_t size, uint64_t most,
                             duration now) {
    const uint64_t in_flight = merchants->in_flight, waiting = merchants->waiting;
    uint64_t left = most, largest = largest_share(merchants, most, now);
    size_t count = 0;
    for (size_t tried = 0; tried < merchants->count && count < size && left > 0; tried++) {
        const struct merchant_state *merchant = merchants->all[merchants->turn_to_lease++ % merchants->count];
        uint64_t slots = free_slots(merchants, merchant, merchants->config->dispatcher.in_flight);
        struct lease_share share = share_of(merchants, merchant, now);
        share.most = least(share.most, least(largest, left));
        if (share.most > 0) {
            merchants->in_flight += least(share.most, slots);
            merchants->waiting += rest_of(share.most, slots);
            left -= share.most;
            shares[count++] = share;
        }
    }
    merchants->in_flight = in_flight;
    merchants->waiting = waiting;
    return count;
}

void merchant_slots_choose_next(struct merchant_slots *merchants, uint64_t merchant_id) {
    for (size_t i = 0; i < merchants->count; i++) {
        if (merchants->all[i]->merchant_id == merchant_id) {
            merchants->turn_to_lease = i;
        }
    }
}

void merchant_slots_wait(struct merchant_slots *merchants, struct sending *sending) {
    waiting_add(&sending->merchant->waiting, sending);
    merchants->waiting++;
}

static bool has_waited_too_long(const struct merchant_state *merchant, duration now) {
    const struct sending *first = merchant->waiting.first;
    return first != NULL &&
           (now - first->lease_committed_mono > WAIT_LONGEST || now - first->leased_mono > LEASE_USED_LONGEST);
}

struct sending *merchant_slots_take(struct merchant_slots *merchants, struct merchant_state *merchant, duration now) {
    if (merchant->waiting.count == 0 || merchant->rests || merchant->failed > 0 || has_waited_too_long(merchant, now) ||
        merchant->in_flight >= at_once(merchant) || merchant_slots_share_is_full(merchants, merchant)) {
        return NULL;
    }
    bool first_only = free_slots(merchants, merchant, slots_for_retries(merchants)) == 0;
    struct sending *sending = NULL;
    if (!first_only || free_slots(merchants, merchant, merchants->config->dispatcher.in_flight) > 0) {
        sending = waiting_take(&merchant->waiting, first_only);
    }
    merchants->short_of_slots = merchants->short_of_slots || sending == NULL;
    if (sending != NULL) {
        merchants->waiting--;
        merchants->in_flight++;
        merchant->in_flight++;
    }
    return sending;
}

struct sending *merchant_slots_take_any(struct merchant_slots *merchants, duration now) {
    merchants->short_of_slots = false;
    for (size_t tried = 0; tried < merchants->count && merchants->waiting > 0; tried++) {
        struct sending *sending =
            merchant_slots_take(merchants, merchants->all[merchants->turn++ % merchants->count], now);
        if (sending != NULL) {
            return sending;
        }
    }
    return NULL;
}

bool merchant_slots_are_short(const struct merchant_slots *merchants) {
    return merchants->short_of_slots;
}

struct sending *merchant_slots_give_up(struct merchant_slots *merchants, duration now, bool all) {
    for (size_t i = 0; i < merchants->count && merchants->waiting > 0; i++) {
        struct merchant_state *merchant = merchants->all[i];
        if (merchant->waiting.count > 0 && (all || merchant->rests || has_waited_too_long(merchant, now))) {
            merchants->waiting--;
            return waiting_take(&merchant->waiting, false);
        }
    }
    return NULL;
}

void merchant_slots_ended(struct merchant_slots *merchants, const struct sending *sending, duration took,
                          duration now) {
    struct merchant_state *merchant = sending->merchant;
    uint64_t widest = merchants->config->dispatcher.in_flight_per_endpoint;
    if (sending->answered) {
        took = took > MILLISECOND ? took : MILLISECOND;
        merchant->window = least(2 * merchant->window, widest);
        merchant->took = merchant->took == 0 ? took : (3 * merchant->took + took) / 4;
        merchant->answered_at = now;
    } else if (sending->failed) {
        merchant->window = first_window(merchants);
        merchant->took = 0;
        merchant->failed++;
    }
    merchant->in_flight--;
    merchants->in_flight--;
    merchant->unrecorded++;
    merchants->unrecorded++;
}

void merchant_slots_recorded(struct merchant_state *merchant, uint64_t failed) {
    merchant->failed -= failed;
}

void merchant_slots_forget(struct merchant_slots *merchants, struct merchant_state *merchant) {
    merchant->unrecorded--;
    merchants->unrecorded--;
}

uint64_t merchant_slots_in_flight(const struct merchant_slots *merchants) {
    return merchants->in_flight;
}

uint64_t merchant_slots_waiting(const struct merchant_slots *merchants) {
    return merchants->waiting;
}
