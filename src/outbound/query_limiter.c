#include "outbound/query_limiter.h"

#include "base/hash.h"
#include "base/loop/task.h"
#include "base/memory.h"
#include "outbound/query_limiter_file.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often one who waits looks whether the other one still lives. */
#define LOOK_EVERY (100 * MILLISECOND)

/* And a task whether there is an answer. */
#define TASKS_LOOK_EVERY (5 * MILLISECOND)

/* A network counts as one that asks a merchant for so long after it last did. */
#define REMEMBERED (10 * MINUTE)

enum { NO_SLOT = LIMITER_SLOTS };

struct query_limiter {
    struct query_limiter_file file;
    struct query_limits limits;
};

/* On a task (base/loop/task.h) it looks again and again: the loop cannot wait for a futex. */
static void sleep_on(const _Atomic uint32_t *number, uint32_t expected, duration wait) {
    if (task_running() != NULL) {
        for (duration until = clock_monotonic() + wait; *number == expected && clock_monotonic() < until;) {
            task_sleep(TASKS_LOOK_EVERY);
        }
        return;
    }
    struct timespec time = {.tv_sec = wait / SECOND, .tv_nsec = wait % SECOND * 1000};
    syscall(SYS_futex, number, FUTEX_WAIT, expected, &time, NULL, 0);
}

static void wake_all(const _Atomic uint32_t *number) {
    syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A process that died with the lock in its hand has left nothing half done that matters: see the order of writing
 * below. */
static struct limiter_shared *lock_shared(struct query_limiter *limiter) {
    struct limiter_shared *shared = limiter->file.shared;
    int result = pthread_mutex_lock(&shared->lock);
    if (result == EOWNERDEAD) {
        result = pthread_mutex_consistent(&shared->lock);
    }
    if (result != 0) {
        abort();
    }
    return shared;
}

static void unlock_shared(struct limiter_shared *shared) {
    pthread_mutex_unlock(&shared->lock);
}

static void free_slot(struct limiter_shared *shared, size_t at) {
    shared->slots[at].number++;
    shared->states[at] = SLOT_FREE;
    wake_all(&shared->slots[at].number);
}

/* Sets the slot free if its process is dead. */
static bool free_if_owner_died(struct query_limiter *limiter, struct limiter_shared *shared, size_t at) {
    bool is_dead =
        shared->states[at] != SLOT_FREE && !query_limiter_file_owner_lives(&limiter->file, shared->slots[at].owner);
    if (is_dead) {
        free_slot(shared, at);
    }
    return is_dead;
}

static bool free_slots_of_dead_owners(struct query_limiter *limiter, struct limiter_shared *shared) {
    bool found = false;
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        found |= free_if_owner_died(limiter, shared, at);
    }
    return found;
}

struct query_limiter *query_limiter_open(const char *path, const struct query_limits *limits) {
    struct query_limiter *limiter = memory_needed(malloc(sizeof *limiter));
    limiter->limits = *limits;
    if (!query_limiter_file_open(path, &limiter->file)) {
        free(limiter);
        return NULL;
    }
    struct limiter_shared *shared = lock_shared(limiter);
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        if (shared->states[at] != SLOT_FREE && shared->slots[at].owner == limiter->file.row) {
            free_slot(shared, at); /* of the one who had the row before */
        }
    }
    unlock_shared(shared);
    return limiter;
}

void query_limiter_close(struct query_limiter *limiter) {
    query_limiter_file_close(&limiter->file);
    free(limiter);
}

static uint64_t endpoint_of(const struct limited_query *query) {
    uint64_t start = hash_add(HASH_START, &query->merchant_id, sizeof query->merchant_id);
    return hash_add_text(start, query->endpoint);
}

/* NULL: it did not fail last time. */
static struct limiter_endpoint *find_endpoint(struct limiter_shared *shared, uint64_t endpoint) {
    for (size_t i = 0; i < LIMITER_ENDPOINTS; i++) {
        struct limiter_endpoint *row = &shared->endpoints[i];
        if (row->failures > 0 && row->endpoint == endpoint) {
            return row;
        }
    }
    return NULL;
}

/* A free row, else that of the endpoint whose last failure is longest ago. */
static struct limiter_endpoint *make_endpoint(struct limiter_shared *shared, uint64_t endpoint) {
    struct limiter_endpoint *chosen = &shared->endpoints[0];
    for (size_t i = 1; i < LIMITER_ENDPOINTS && chosen->failures > 0; i++) {
        struct limiter_endpoint *row = &shared->endpoints[i];
        if (row->failures == 0 || row->failed_at < chosen->failed_at) {
            chosen = row;
        }
    }
    chosen->failures = 0;
    chosen->endpoint = endpoint;
    chosen->resting_until = 0;
    return chosen;
}

static bool is_same_query(const struct limiter_slot *slot, const struct limited_query *query) {
    return slot->integration_id == query->integration_id && slot->network_id == query->network_id &&
           text_equal(text_of(slot->reference), query->reference);
}

static size_t find_same(struct query_limiter *limiter, struct limiter_shared *shared,
                        const struct limited_query *query) {
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        bool runs = shared->states[at] == SLOT_ASKING || shared->states[at] == SLOT_STORING;
        if (runs && is_same_query(&shared->slots[at], query) && !free_if_owner_died(limiter, shared, at)) {
            return at;
        }
    }
    return NO_SLOT;
}

struct lookup_counts {
    size_t in_all, of_merchant, of_network, probes; /* of_network: of this network to this merchant */
};

static struct lookup_counts count_lookups(const struct limiter_shared *shared, enum slot_state state,
                                          const struct limited_query *query) {
    uint64_t endpoint = endpoint_of(query);
    struct lookup_counts counts = {0, 0, 0, 0};
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        const struct limiter_slot *slot = &shared->slots[at];
        if (shared->states[at] == state) {
            counts.in_all++;
            counts.of_merchant += slot->merchant_id == query->merchant_id;
            counts.of_network += slot->merchant_id == query->merchant_id && slot->network_id == query->network_id;
            counts.probes += slot->is_probe && slot->endpoint == endpoint;
        }
    }
    return counts;
}

/*
 * Remembers that the network wants to ask the merchant, in its own row, a free one, or the oldest. Returns how many
 * networks did lately, this one too.
 */
static size_t note_asking_network(struct limiter_shared *shared, const struct limited_query *query) {
    duration now = clock_monotonic();
    size_t others = 0;
    struct limiter_network *chosen = &shared->networks[0];
    bool found = false;
    for (size_t i = 0; i < LIMITER_NETWORKS; i++) {
        struct limiter_network *row = &shared->networks[i];
        bool of_merchant = row->asked_at != 0 && row->merchant_id == query->merchant_id;
        if (of_merchant && row->network_id == query->network_id) {
            chosen = row;
            found = true;
        } else if (!found && row->asked_at < chosen->asked_at) {
            chosen = row;
        }
        others += of_merchant && row->network_id != query->network_id && now - row->asked_at < REMEMBERED;
    }
    *chosen = (struct limiter_network){query->merchant_id, query->network_id, now};
    return others + 1;
}

/*
 * One network's slow references must not take all slots of a merchant: within its equal share it takes any free one,
 * beyond it the last one stays free for the others. A network that asks alone has them all.
 */
static bool has_room(const struct lookup_counts *counts, size_t limit, size_t networks) {
    bool in_share = counts->of_network < limit / networks || counts->of_network == 0;
    return counts->of_merchant < limit && (in_share || counts->of_merchant + 1 < limit);
}

/* NO_SLOT: all are taken. */
static size_t find_free_slot(struct limiter_shared *shared) {
    for (size_t i = 0; i < LIMITER_SLOTS; i++) {
        size_t at = (shared->next_slot + i) % LIMITER_SLOTS;
        if (shared->states[at] == SLOT_FREE) {
            shared->next_slot = at + 1;
            return at;
        }
    }
    return NO_SLOT;
}

/* The state comes last: a slot that is not finished is a free one. */
static bool take_slot(struct query_limiter *limiter, struct limiter_shared *shared, const struct limited_query *query,
                      enum slot_state state, bool is_probe, struct query_handle *out) {
    size_t at = find_free_slot(shared);
    if (at == NO_SLOT) {
        return false;
    }
    struct limiter_slot *slot = &shared->slots[at];
    slot->owner = limiter->file.row;
    slot->is_probe = is_probe;
    slot->merchant_id = query->merchant_id;
    slot->integration_id = query->integration_id;
    slot->network_id = query->network_id;
    slot->endpoint = endpoint_of(query);
    memset(slot->reference, 0, sizeof slot->reference);
    memcpy(slot->reference, query->reference.at, query->reference.size);
    shared->states[at] = (uint8_t)state;
    out->slot = at;
    return true;
}

static enum limiter_decision join_query(struct query_limiter *limiter, struct limiter_shared *shared,
                                        const struct limited_query *query, size_t same, struct query_handle *out) {
    struct lookup_counts sharing = count_lookups(shared, SLOT_SHARING, query);
    size_t networks = note_asking_network(shared, query);
    if (sharing.in_all >= limiter->limits.sharing ||
        !has_room(&sharing, limiter->limits.sharing_per_merchant, networks)) {
        return LIMITER_FULL;
    }
    out->shared_slot = same;
    out->shared_number = shared->slots[same].number;
    return take_slot(limiter, shared, query, SLOT_SHARING, false, out) ? LIMITER_SHARE : LIMITER_FULL;
}

static enum limiter_decision start_query(struct query_limiter *limiter, struct limiter_shared *shared,
                                         const struct limited_query *query, struct query_handle *out) {
    const struct limiter_endpoint *endpoint = find_endpoint(shared, endpoint_of(query));
    struct lookup_counts asking = count_lookups(shared, SLOT_ASKING, query);
    size_t networks = note_asking_network(shared, query);
    bool is_ill = endpoint != NULL && endpoint->failures >= limiter->limits.rest_after;
    if (is_ill && (clock_monotonic() < endpoint->resting_until || asking.probes > 0)) {
        return LIMITER_RESTING;
    }
    if (asking.in_all >= limiter->limits.in_flight ||
        !has_room(&asking, limiter->limits.in_flight_per_merchant, networks)) {
        return LIMITER_FULL;
    }
    return take_slot(limiter, shared, query, SLOT_ASKING, is_ill, out) ? LIMITER_ASK : LIMITER_FULL;
}

static enum limiter_decision admit(struct query_limiter *limiter, struct limiter_shared *shared,
                                   const struct limited_query *query, struct query_handle *out) {
    size_t same = find_same(limiter, shared, query);
    return same == NO_SLOT ? start_query(limiter, shared, query, out) : join_query(limiter, shared, query, same, out);
}

enum limiter_decision query_limiter_enter(struct query_limiter *limiter, const struct limited_query *query,
                                          struct query_handle *out) {
    *out = (struct query_handle){NO_SLOT, NO_SLOT, 0};
    struct limiter_shared *shared = lock_shared(limiter);
    enum limiter_decision entry = admit(limiter, shared, query, out);
    if ((entry == LIMITER_FULL || entry == LIMITER_RESTING) && free_slots_of_dead_owners(limiter, shared)) {
        entry = admit(limiter, shared, query, out);
    }
    unlock_shared(shared);
    return entry;
}

/* What comes first counts if the process dies here: a row that says too many failures and no rest lets a probe through.
 */
static bool note_endpoint_failure(const struct query_limits *limits, struct limiter_shared *shared,
                                  const struct limiter_slot *slot) {
    struct limiter_endpoint *endpoint = find_endpoint(shared, slot->endpoint);
    if (endpoint == NULL) {
        endpoint = make_endpoint(shared, slot->endpoint);
    }
    endpoint->failures++;
    endpoint->failed_at = clock_monotonic();
    bool rests = endpoint->failures == limits->rest_after || slot->is_probe;
    if (rests) {
        endpoint->resting_until = endpoint->failed_at + limits->rest;
    }
    return rests;
}

bool query_limiter_answered(struct query_limiter *limiter, const struct query_handle *handle, bool failed) {
    struct limiter_shared *shared = lock_shared(limiter);
    struct limiter_slot *slot = &shared->slots[handle->slot];
    bool rests = failed && note_endpoint_failure(&limiter->limits, shared, slot);
    struct limiter_endpoint *endpoint = failed ? NULL : find_endpoint(shared, slot->endpoint);
    if (endpoint != NULL) {
        endpoint->failures = 0;
    }
    shared->states[handle->slot] = SLOT_STORING;
    unlock_shared(shared);
    return rests;
}

void query_limiter_end(struct query_limiter *limiter, const struct query_handle *handle, unsigned outcome) {
    struct limiter_shared *shared = lock_shared(limiter);
    struct limiter_slot *slot = &shared->slots[handle->slot];
    slot->outcome = outcome;
    slot->told_number = slot->number;
    free_slot(shared, handle->slot);
    unlock_shared(shared);
}

struct limiter_use query_limiter_use(struct query_limiter *limiter) {
    struct limiter_use use = {0};
    struct limiter_shared *shared = lock_shared(limiter);
    free_slots_of_dead_owners(limiter, shared);
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        use.in_flight += shared->states[at] == SLOT_ASKING;
        use.sharing += shared->states[at] == SLOT_SHARING;
    }
    for (size_t i = 0; i < LIMITER_ENDPOINTS; i++) {
        use.resting += shared->endpoints[i].failures >= limiter->limits.rest_after;
    }
    unlock_shared(shared);
    return use;
}

static void free_shared_slot_if_owner_died(struct query_limiter *limiter, const struct query_handle *handle) {
    struct limiter_shared *shared = lock_shared(limiter);
    if (shared->slots[handle->shared_slot].number == handle->shared_number) {
        free_if_owner_died(limiter, shared, handle->shared_slot);
    }
    unlock_shared(shared);
}

bool query_limiter_wait(struct query_limiter *limiter, const struct query_handle *handle, duration timeout,
                        unsigned *outcome) {
    struct limiter_slot *slot = &limiter->file.shared->slots[handle->shared_slot];
    duration until = clock_monotonic() + timeout, left = timeout;
    while (slot->number == handle->shared_number && left > 0) {
        sleep_on(&slot->number, handle->shared_number, left < LOOK_EVERY ? left : LOOK_EVERY);
        free_shared_slot_if_owner_died(limiter, handle);
        left = until - clock_monotonic();
    }
    struct limiter_shared *shared = lock_shared(limiter);
    bool told = slot->number != handle->shared_number && slot->told_number == handle->shared_number;
    *outcome = told ? slot->outcome : 0;
    free_slot(shared, handle->slot);
    unlock_shared(shared);
    return told;
}
