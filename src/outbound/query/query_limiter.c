#include "outbound/query/query_limiter.h"

#include "base/hash.h"
#include "base/memory.h"

/* How long a network counts as asking a merchant after its last query. */
#define REMEMBERED (10 * MINUTE)

enum { LIMITER_SLOTS = 1024, LIMITER_NETWORKS = 512, NO_SLOT = LIMITER_SLOTS };

enum slot_state { SLOT_FREE, SLOT_ASKING, SLOT_STORING, SLOT_SHARING };

/* A lookup with an external query. While the state is SLOT_FREE, only number, outcome_number and outcome are valid. */
struct limiter_slot {
    enum slot_state state;
    uint32_t number;         /* incremented when the lookup ends */
    uint32_t outcome_number; /* the `number` to which `outcome` belongs; 0: none */
    unsigned outcome;
    bool is_probe;
    uint64_t merchant_id, integration_id, network_id;
    uint64_t endpoint; /* a hash of the merchant and its URL */
    char reference[LIMITER_REFERENCE_SIZE];
};

/* An endpoint whose last query failed. */
struct limiter_endpoint {
    uint64_t endpoint;
    uint64_t failures; /* in a row; 0: the row is free */
    duration failed_at, resting_until;
};

/* When a network last wanted to ask a merchant. */
struct limiter_network {
    uint64_t merchant_id, network_id;
    duration asked_at; /* 0: the row is free */
};

struct query_limiter {
    struct query_limits limits;
    size_t next_slot; /* where to look for a free slot: recently used ones come last */
    struct limiter_slot slots[LIMITER_SLOTS];
    struct limiter_endpoint endpoints[LIMITER_ENDPOINTS];
    struct limiter_network networks[LIMITER_NETWORKS];
};

struct query_limiter *query_limiter_create(const struct query_limits *limits) {
    struct query_limiter *limiter = memory_zeroed(1, sizeof *limiter);
    limiter->limits = *limits;
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        limiter->slots[at].number = 1;
    }
    return limiter;
}

void query_limiter_destroy(struct query_limiter *limiter) {
    free(limiter);
}

void query_limiter_set(struct query_limiter *limiter, const struct query_limits *limits) {
    limiter->limits = *limits;
}

static void free_slot(struct limiter_slot *slot) {
    slot->number++;
    slot->state = SLOT_FREE;
}

static uint64_t endpoint_of(const struct limited_query *query) {
    uint64_t start = hash_add(HASH_START, &query->merchant_id, sizeof query->merchant_id);
    return hash_add_text(start, query->endpoint);
}

/* Returns NULL if its last query did not fail. */
static struct limiter_endpoint *find_endpoint(struct query_limiter *limiter, uint64_t endpoint) {
    for (size_t i = 0; i < LIMITER_ENDPOINTS; i++) {
        struct limiter_endpoint *row = &limiter->endpoints[i];
        if (row->failures > 0 && row->endpoint == endpoint) {
            return row;
        }
    }
    return NULL;
}

/* Returns a free row, else that of the endpoint whose last failure is oldest. */
static struct limiter_endpoint *make_endpoint(struct query_limiter *limiter, uint64_t endpoint) {
    struct limiter_endpoint *chosen = &limiter->endpoints[0];
    for (size_t i = 1; i < LIMITER_ENDPOINTS && chosen->failures > 0; i++) {
        struct limiter_endpoint *row = &limiter->endpoints[i];
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

static size_t find_same(const struct query_limiter *limiter, const struct limited_query *query) {
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        const struct limiter_slot *slot = &limiter->slots[at];
        if ((slot->state == SLOT_ASKING || slot->state == SLOT_STORING) && is_same_query(slot, query)) {
            return at;
        }
    }
    return NO_SLOT;
}

struct lookup_counts {
    size_t in_all, of_merchant, of_network, probes; /* of_network: of this network at this merchant */
};

static struct lookup_counts count_lookups(const struct query_limiter *limiter, enum slot_state state,
                                          const struct limited_query *query) {
    uint64_t endpoint = endpoint_of(query);
    struct lookup_counts counts = {0, 0, 0, 0};
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        const struct limiter_slot *slot = &limiter->slots[at];
        if (slot->state == state) {
            counts.in_all++;
            counts.of_merchant += slot->merchant_id == query->merchant_id;
            counts.of_network += slot->merchant_id == query->merchant_id && slot->network_id == query->network_id;
            counts.probes += slot->is_probe && slot->endpoint == endpoint;
        }
    }
    return counts;
}

/*
 * Records that the network wants to ask the merchant, in its own row, a free one or the oldest. Returns the number of
 * networks that did recently, including this one.
 */
static size_t note_asking_network(struct query_limiter *limiter, const struct limited_query *query) {
    duration now = clock_monotonic();
    size_t others = 0;
    struct limiter_network *chosen = &limiter->networks[0];
    bool found = false;
    for (size_t i = 0; i < LIMITER_NETWORKS; i++) {
        struct limiter_network *row = &limiter->networks[i];
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
 * Keeps one network's slow references from taking all slots of a merchant. A network takes any free slot within its
 * equal share; beyond it, the last free slot is left to the others. A network that asks alone may take all.
 */
static bool has_room(const struct lookup_counts *counts, size_t limit, size_t networks) {
    bool in_share = counts->of_network < limit / networks || counts->of_network == 0;
    return counts->of_merchant < limit && (in_share || counts->of_merchant + 1 < limit);
}

/* Returns NO_SLOT if all are taken. */
static size_t find_free_slot(struct query_limiter *limiter) {
    for (size_t i = 0; i < LIMITER_SLOTS; i++) {
        size_t at = (limiter->next_slot + i) % LIMITER_SLOTS;
        if (limiter->slots[at].state == SLOT_FREE) {
            limiter->next_slot = at + 1;
            return at;
        }
    }
    return NO_SLOT;
}

static bool take_slot(struct query_limiter *limiter, const struct limited_query *query, enum slot_state state,
                      bool is_probe, struct query_handle *out) {
    size_t at = find_free_slot(limiter);
    if (at == NO_SLOT) {
        return false;
    }
    struct limiter_slot *slot = &limiter->slots[at];
    slot->state = state;
    slot->is_probe = is_probe;
    slot->merchant_id = query->merchant_id;
    slot->integration_id = query->integration_id;
    slot->network_id = query->network_id;
    slot->endpoint = endpoint_of(query);
    memset(slot->reference, 0, sizeof slot->reference);
    memcpy(slot->reference, query->reference.at, query->reference.size);
    out->slot = at;
    return true;
}

static enum limiter_decision join_query(struct query_limiter *limiter, const struct limited_query *query, size_t same,
                                        struct query_handle *out) {
    struct lookup_counts sharing = count_lookups(limiter, SLOT_SHARING, query);
    size_t networks = note_asking_network(limiter, query);
    if (sharing.in_all >= limiter->limits.sharing ||
        !has_room(&sharing, limiter->limits.sharing_per_merchant, networks)) {
        return LIMITER_FULL;
    }
    out->shared_slot = same;
    out->shared_number = limiter->slots[same].number;
    return take_slot(limiter, query, SLOT_SHARING, false, out) ? LIMITER_SHARE : LIMITER_FULL;
}

static enum limiter_decision start_query(struct query_limiter *limiter, const struct limited_query *query,
                                         struct query_handle *out) {
    const struct limiter_endpoint *endpoint = find_endpoint(limiter, endpoint_of(query));
    struct lookup_counts asking = count_lookups(limiter, SLOT_ASKING, query);
    size_t networks = note_asking_network(limiter, query);
    bool is_ill = endpoint != NULL && endpoint->failures >= limiter->limits.rest_after;
    if (is_ill && (clock_monotonic() < endpoint->resting_until || asking.probes > 0)) {
        return LIMITER_RESTING;
    }
    if (asking.in_all >= limiter->limits.in_flight ||
        !has_room(&asking, limiter->limits.in_flight_per_merchant, networks)) {
        return LIMITER_FULL;
    }
    return take_slot(limiter, query, SLOT_ASKING, is_ill, out) ? LIMITER_ASK : LIMITER_FULL;
}

enum limiter_decision query_limiter_enter(struct query_limiter *limiter, const struct limited_query *query,
                                          struct query_handle *out) {
    *out = (struct query_handle){NO_SLOT, NO_SLOT, 0};
    size_t same = find_same(limiter, query);
    return same == NO_SLOT ? start_query(limiter, query, out) : join_query(limiter, query, same, out);
}

static bool note_endpoint_failure(struct query_limiter *limiter, const struct limiter_slot *slot) {
    struct limiter_endpoint *endpoint = find_endpoint(limiter, slot->endpoint);
    if (endpoint == NULL) {
        endpoint = make_endpoint(limiter, slot->endpoint);
    }
    endpoint->failures++;
    endpoint->failed_at = clock_monotonic();
    bool rests = endpoint->failures == limiter->limits.rest_after || slot->is_probe;
    if (rests) {
        endpoint->resting_until = endpoint->failed_at + limiter->limits.rest;
    }
    return rests;
}

bool query_limiter_answered(struct query_limiter *limiter, const struct query_handle *handle, bool failed) {
    struct limiter_slot *slot = &limiter->slots[handle->slot];
    bool rests = failed && note_endpoint_failure(limiter, slot);
    struct limiter_endpoint *endpoint = failed ? NULL : find_endpoint(limiter, slot->endpoint);
    if (endpoint != NULL) {
        endpoint->failures = 0;
    }
    slot->state = SLOT_STORING;
    return rests;
}

void query_limiter_end(struct query_limiter *limiter, const struct query_handle *handle, unsigned outcome) {
    struct limiter_slot *slot = &limiter->slots[handle->slot];
    slot->outcome = outcome;
    slot->outcome_number = slot->number;
    free_slot(slot);
}

void query_limiter_leave(struct query_limiter *limiter, const struct query_handle *handle) {
    free_slot(&limiter->slots[handle->slot]);
}

enum limiter_shared query_limiter_look(const struct query_limiter *limiter, const struct query_handle *handle,
                                       unsigned *outcome) {
    const struct limiter_slot *slot = &limiter->slots[handle->shared_slot];
    if (slot->number == handle->shared_number) {
        return SHARED_RUNS;
    }
    *outcome = slot->outcome;
    return slot->outcome_number == handle->shared_number ? SHARED_TOLD : SHARED_LOST;
}

struct limiter_use query_limiter_use(const struct query_limiter *limiter) {
    struct limiter_use use = {0};
    for (size_t at = 0; at < LIMITER_SLOTS; at++) {
        use.in_flight += limiter->slots[at].state == SLOT_ASKING;
        use.sharing += limiter->slots[at].state == SLOT_SHARING;
    }
    for (size_t i = 0; i < LIMITER_ENDPOINTS; i++) {
        use.resting += limiter->endpoints[i].failures >= limiter->limits.rest_after;
    }
    return use;
}
