#include "dispatch/deliver/load.h"

#include "base/memory.h"

#include <search.h>

/* The share of all slots that retries may fill is 3 of 4. */
enum { RETRY_SHARE_OF_4 = 3, FIRST_WINDOW = 4 };

struct load {
    const struct config *config;
    void *tree;                 /* of struct merchant_load, by merchant_id */
    struct merchant_load **all; /* the same, for taking turns */
    size_t count, room, turn;
    uint64_t in_flight;
};

struct load *load_create(const struct config *config) {
    struct load *load = memory_zeroed(1, sizeof *load);
    load->config = config;
    return load;
}

void load_destroy(struct load *load) {
    tdestroy(load->tree, free);
    free(load->all);
    free(load);
}

static int compare(const void *a, const void *b) {
    uint64_t left = ((const struct merchant_load *)a)->merchant_id,
             right = ((const struct merchant_load *)b)->merchant_id;
    return (left > right) - (left < right);
}

static void append(struct load *load, struct merchant_load *merchant) {
    if (load->count == load->room) {
        load->room = load->room == 0 ? 64 : 2 * load->room;
        load->all = memory_grown(load->all, load->room, sizeof(struct merchant_load *));
    }
    load->all[load->count++] = merchant;
}

/* The window of an endpoint that has not answered yet. */
static uint64_t first_window(const struct load *load) {
    uint64_t widest = load->config->dispatcher.in_flight_per_endpoint;
    return FIRST_WINDOW < widest ? FIRST_WINDOW : widest;
}

static struct merchant_load *find_or_add(struct load *load, uint64_t merchant_id) {
    const struct merchant_load key = {.merchant_id = merchant_id};
    struct merchant_load **found = tfind(&key, &load->tree, compare);
    if (found != NULL) {
        return *found;
    }
    struct merchant_load *merchant = memory_zeroed(1, sizeof *merchant);
    merchant->merchant_id = merchant_id;
    merchant->window = first_window(load);
    if (tsearch(merchant, &load->tree, compare) == NULL) {
        abort();
    }
    append(load, merchant);
    return merchant;
}

void load_refresh(struct load *load, const struct due_merchant *due, size_t count) {
    for (size_t i = 0; i < load->count; i++) {
        load->all[i]->is_due = false;
    }
    for (size_t i = 0; i < count; i++) {
        struct merchant_load *merchant = find_or_add(load, due[i].merchant_id);
        merchant->is_due = true;
        merchant->rests = due[i].rests;
        merchant->recovers = due[i].failures >= load->config->dispatcher.rest_after;
        merchant->failures = due[i].failures;
    }
}

/*
 * How many more this merchant may have in flight when all have `slots`. It never takes more than it leaves free, so
 * that however many endpoints were busy when they began to hang, another one finds a slot. 0 also until half of its
 * window is free, because a claim costs as much for one as for many.
 */
static uint64_t free_slots(const struct load *load, const struct merchant_load *merchant, uint64_t slots) {
    uint64_t bound = merchant->recovers ? 1 : merchant->window;
    uint64_t free = slots > load->in_flight ? slots - load->in_flight : 0;
    if (!merchant->is_due || merchant->rests || merchant->in_flight >= bound || merchant->in_flight >= free) {
        return 0;
    }
    uint64_t own = bound - merchant->in_flight, fair = (free - merchant->in_flight + 1) / 2;
    if (2 * own < bound) {
        return 0;
    }
    return own < fair ? own : fair;
}

static struct merchant_load *next_with(struct load *load, uint64_t slots, uint64_t *most) {
    for (size_t tried = 0; tried < load->count; tried++) {
        struct merchant_load *merchant = load->all[load->turn++ % load->count];
        *most = free_slots(load, merchant, slots);
        if (*most > 0) {
            return merchant;
        }
    }
    return NULL;
}

struct merchant_load *load_next(struct load *load, uint64_t *most, bool *first_only) {
    uint64_t slots = load->config->dispatcher.in_flight, for_retries = (slots * RETRY_SHARE_OF_4 + 3) / 4;
    struct merchant_load *merchant = next_with(load, for_retries, most);
    *first_only = merchant == NULL;
    return merchant == NULL ? next_with(load, slots, most) : merchant;
}

void load_started(struct load *load, struct merchant_load *merchant) {
    merchant->in_flight++;
    load->in_flight++;
}

void load_ended(struct load *load, struct merchant_load *merchant, bool answered) {
    uint64_t widest = load->config->dispatcher.in_flight_per_endpoint;
    uint64_t wider = answered ? 2 * merchant->window : first_window(load);
    merchant->window = wider < widest ? wider : widest;
    merchant->rests = merchant->rests || !answered;
    merchant->in_flight--;
    load->in_flight--;
}

uint64_t load_in_flight(const struct load *load) {
    return load->in_flight;
}
