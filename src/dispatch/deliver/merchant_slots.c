#include "dispatch/deliver/merchant_slots.h"

#include "base/memory.h"
#include "dispatch/deliver/delivery_log.h"

#include <search.h>

/* The share of all slots that retries may fill is 3 of 4. */
enum { RETRY_SHARE_OF_4 = 3, FIRST_WINDOW = 4 };

struct merchant_slots {
    const struct config *config;
    void *tree;                  /* of struct merchant_state, by merchant_id */
    struct merchant_state **all; /* the same, for taking turns */
    size_t count, room, turn;
    uint64_t in_flight;
};

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

static struct merchant_state *find_or_add(struct merchant_slots *merchants, uint64_t merchant_id) {
    const struct merchant_state key = {.merchant_id = merchant_id};
    struct merchant_state **found = tfind(&key, &merchants->tree, compare_merchants);
    if (found != NULL) {
        return *found;
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

/*
 * How many more this merchant may have in flight when all have `slots`. It never takes more than it leaves free, so
 * that however many endpoints were busy when they began to hang, another one finds a slot. 0 also until half of its
 * window is free, because a claim costs as much for one as for many.
 */
static uint64_t free_slots(const struct merchant_slots *merchants, const struct merchant_state *merchant,
                           uint64_t slots) {
    uint64_t bound = merchant->recovers ? 1 : merchant->window;
    uint64_t free = slots > merchants->in_flight ? slots - merchants->in_flight : 0;
    if (!merchant->is_due || merchant->rests || merchant->in_flight >= bound || merchant->in_flight >= free) {
        return 0;
    }
    uint64_t own = bound - merchant->in_flight, fair = (free - merchant->in_flight + 1) / 2;
    if (2 * own < bound) {
        return 0;
    }
    return own < fair ? own : fair;
}

static struct merchant_state *next_with(struct merchant_slots *merchants, uint64_t slots, uint64_t *most) {
    for (size_t tried = 0; tried < merchants->count; tried++) {
        struct merchant_state *merchant = merchants->all[merchants->turn++ % merchants->count];
        *most = free_slots(merchants, merchant, slots);
        if (*most > 0) {
            return merchant;
        }
    }
    return NULL;
}

struct merchant_state *merchant_slots_next(struct merchant_slots *merchants, uint64_t *most, bool *first_only) {
    uint64_t slots = merchants->config->dispatcher.in_flight, for_retries = (slots * RETRY_SHARE_OF_4 + 3) / 4;
    struct merchant_state *merchant = next_with(merchants, for_retries, most);
    *first_only = merchant == NULL;
    return merchant == NULL ? next_with(merchants, slots, most) : merchant;
}

void merchant_slots_started(struct merchant_slots *merchants, struct merchant_state *merchant) {
    merchant->in_flight++;
    merchants->in_flight++;
}

void merchant_slots_ended(struct merchant_slots *merchants, struct merchant_state *merchant, bool answered) {
    uint64_t widest = merchants->config->dispatcher.in_flight_per_endpoint;
    uint64_t wider = answered ? 2 * merchant->window : first_window(merchants);
    merchant->window = wider < widest ? wider : widest;
    merchant->rests = merchant->rests || !answered;
    merchant->in_flight--;
    merchants->in_flight--;
}

uint64_t merchant_slots_in_flight(const struct merchant_slots *merchants) {
    return merchants->in_flight;
}
