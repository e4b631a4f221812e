#include "outbound/gate.h"

#include "base/hash.h"
#include "base/memory.h"
#include "outbound/gate_file.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* How often one who waits looks whether the other one still lives. */
#define LOOK_EVERY (100 * MILLISECOND)

/* A network counts as one that asks a merchant for so long after it last did. */
#define REMEMBERED (10 * MINUTE)

enum { NOWHERE = GATE_PLACES };

struct gate {
    struct gate_file file;
    struct gate_limits limits;
};

static void sleep_on(const _Atomic uint32_t *number, uint32_t expected, duration wait) {
    struct timespec time = {.tv_sec = wait / SECOND, .tv_nsec = wait % SECOND * 1000};
    syscall(SYS_futex, number, FUTEX_WAIT, expected, &time, NULL, 0);
}

static void wake_all(const _Atomic uint32_t *number) {
    syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A process that died with the lock in its hand has left nothing half done that matters: see the order of writing
 * below. */
static struct gate_shared *lock(struct gate *gate) {
    struct gate_shared *shared = gate->file.shared;
    int result = pthread_mutex_lock(&shared->lock);
    if (result == EOWNERDEAD) {
        result = pthread_mutex_consistent(&shared->lock);
    }
    if (result != 0) {
        abort();
    }
    return shared;
}

static void unlock(struct gate_shared *shared) {
    pthread_mutex_unlock(&shared->lock);
}

static void set_free(struct gate_shared *shared, size_t at) {
    shared->places[at].number++;
    shared->kinds[at] = GATE_FREE;
    wake_all(&shared->places[at].number);
}

/* Sets the place free if its process is dead. */
static bool bury(struct gate *gate, struct gate_shared *shared, size_t at) {
    bool is_dead = shared->kinds[at] != GATE_FREE && !gate_file_lives(&gate->file, shared->places[at].owner);
    if (is_dead) {
        set_free(shared, at);
    }
    return is_dead;
}

static bool bury_all(struct gate *gate, struct gate_shared *shared) {
    bool found = false;
    for (size_t at = 0; at < GATE_PLACES; at++) {
        found |= bury(gate, shared, at);
    }
    return found;
}

struct gate *gate_open(const char *path, const struct gate_limits *limits) {
    struct gate *gate = memory_needed(malloc(sizeof *gate));
    gate->limits = *limits;
    if (!gate_file_open(path, &gate->file)) {
        free(gate);
        return NULL;
    }
    struct gate_shared *shared = lock(gate);
    for (size_t at = 0; at < GATE_PLACES; at++) {
        if (shared->kinds[at] != GATE_FREE && shared->places[at].owner == gate->file.row) {
            set_free(shared, at); /* of the one who had the row before */
        }
    }
    unlock(shared);
    return gate;
}

void gate_close(struct gate *gate) {
    gate_file_close(&gate->file);
    free(gate);
}

static uint64_t endpoint_of(const struct gate_query *query) {
    uint64_t start = hash_add(HASH_START, &query->merchant_id, sizeof query->merchant_id);
    return hash_add_text(start, query->endpoint);
}

/* NULL: it did not fail last time. */
static struct gate_endpoint *find_endpoint(struct gate_shared *shared, uint64_t endpoint) {
    for (size_t i = 0; i < GATE_ENDPOINTS; i++) {
        struct gate_endpoint *row = &shared->endpoints[i];
        if (row->failures > 0 && row->endpoint == endpoint) {
            return row;
        }
    }
    return NULL;
}

/* A free row, else that of the endpoint whose last failure is longest ago. */
static struct gate_endpoint *make_endpoint(struct gate_shared *shared, uint64_t endpoint) {
    struct gate_endpoint *chosen = &shared->endpoints[0];
    for (size_t i = 1; i < GATE_ENDPOINTS && chosen->failures > 0; i++) {
        struct gate_endpoint *row = &shared->endpoints[i];
        if (row->failures == 0 || row->failed_at < chosen->failed_at) {
            chosen = row;
        }
    }
    chosen->failures = 0;
    chosen->endpoint = endpoint;
    chosen->resting_until = 0;
    return chosen;
}

static bool is_same_query(const struct gate_place *place, const struct gate_query *query) {
    return place->integration_id == query->integration_id && place->network_id == query->network_id &&
           text_equal(text_of(place->reference), query->reference);
}

static size_t find_same(struct gate *gate, struct gate_shared *shared, const struct gate_query *query) {
    for (size_t at = 0; at < GATE_PLACES; at++) {
        bool runs = shared->kinds[at] == GATE_ASKING || shared->kinds[at] == GATE_STORING;
        if (runs && is_same_query(&shared->places[at], query) && !bury(gate, shared, at)) {
            return at;
        }
    }
    return NOWHERE;
}

struct tally {
    size_t in_all, of_merchant, of_network, probes; /* of_network: of this network to this merchant */
};

static struct tally count(const struct gate_shared *shared, enum gate_kind kind, const struct gate_query *query) {
    uint64_t endpoint = endpoint_of(query);
    struct tally tally = {0, 0, 0, 0};
    for (size_t at = 0; at < GATE_PLACES; at++) {
        const struct gate_place *place = &shared->places[at];
        if (shared->kinds[at] == kind) {
            tally.in_all++;
            tally.of_merchant += place->merchant_id == query->merchant_id;
            tally.of_network += place->merchant_id == query->merchant_id && place->network_id == query->network_id;
            tally.probes += place->is_probe && place->endpoint == endpoint;
        }
    }
    return tally;
}

/*
 * Remembers that the network wants to ask the merchant, in its own row, a free one, or the oldest. Returns how many
 * networks did lately, this one too.
 */
static size_t note_network(struct gate_shared *shared, const struct gate_query *query) {
    duration now = clock_monotonic();
    size_t others = 0;
    struct gate_network *chosen = &shared->networks[0];
    bool found = false;
    for (size_t i = 0; i < GATE_NETWORKS; i++) {
        struct gate_network *row = &shared->networks[i];
        bool of_merchant = row->asked_at != 0 && row->merchant_id == query->merchant_id;
        if (of_merchant && row->network_id == query->network_id) {
            chosen = row;
            found = true;
        } else if (!found && row->asked_at < chosen->asked_at) {
            chosen = row;
        }
        others += of_merchant && row->network_id != query->network_id && now - row->asked_at < REMEMBERED;
    }
    *chosen = (struct gate_network){query->merchant_id, query->network_id, now};
    return others + 1;
}

/*
 * One network's slow references must not take all places of a merchant: within its equal share it takes any free one,
 * beyond it the last one stays free for the others. A network that asks alone has them all.
 */
static bool has_room(const struct tally *tally, size_t limit, size_t networks) {
    bool in_share = tally->of_network < limit / networks || tally->of_network == 0;
    return tally->of_merchant < limit && (in_share || tally->of_merchant + 1 < limit);
}

/* NOWHERE: all are taken. */
static size_t find_free(struct gate_shared *shared) {
    for (size_t i = 0; i < GATE_PLACES; i++) {
        size_t at = (shared->next_place + i) % GATE_PLACES;
        if (shared->kinds[at] == GATE_FREE) {
            shared->next_place = at + 1;
            return at;
        }
    }
    return NOWHERE;
}

/* The kind comes last: a place that is not finished is a free one. */
static bool take_place(struct gate *gate, struct gate_shared *shared, const struct gate_query *query,
                       enum gate_kind kind, bool is_probe, struct gate_pass *out) {
    size_t at = find_free(shared);
    if (at == NOWHERE) {
        return false;
    }
    struct gate_place *place = &shared->places[at];
    place->owner = gate->file.row;
    place->is_probe = is_probe;
    place->merchant_id = query->merchant_id;
    place->integration_id = query->integration_id;
    place->network_id = query->network_id;
    place->endpoint = endpoint_of(query);
    memset(place->reference, 0, sizeof place->reference);
    memcpy(place->reference, query->reference.at, query->reference.size);
    shared->kinds[at] = (uint8_t)kind;
    out->place = at;
    return true;
}

static enum gate_entry share(struct gate *gate, struct gate_shared *shared, const struct gate_query *query, size_t same,
                             struct gate_pass *out) {
    struct tally sharing = count(shared, GATE_SHARING, query);
    size_t networks = note_network(shared, query);
    if (sharing.in_all >= gate->limits.sharing || !has_room(&sharing, gate->limits.sharing_per_merchant, networks)) {
        return GATE_FULL;
    }
    out->shared_place = same;
    out->shared_number = shared->places[same].number;
    return take_place(gate, shared, query, GATE_SHARING, false, out) ? GATE_SHARE : GATE_FULL;
}

static enum gate_entry ask(struct gate *gate, struct gate_shared *shared, const struct gate_query *query,
                           struct gate_pass *out) {
    const struct gate_endpoint *endpoint = find_endpoint(shared, endpoint_of(query));
    struct tally asking = count(shared, GATE_ASKING, query);
    size_t networks = note_network(shared, query);
    bool is_ill = endpoint != NULL && endpoint->failures >= gate->limits.rest_after;
    if (is_ill && (clock_monotonic() < endpoint->resting_until || asking.probes > 0)) {
        return GATE_RESTING;
    }
    if (asking.in_all >= gate->limits.in_flight || !has_room(&asking, gate->limits.in_flight_per_merchant, networks)) {
        return GATE_FULL;
    }
    return take_place(gate, shared, query, GATE_ASKING, is_ill, out) ? GATE_ASK : GATE_FULL;
}

static enum gate_entry enter(struct gate *gate, struct gate_shared *shared, const struct gate_query *query,
                             struct gate_pass *out) {
    size_t same = find_same(gate, shared, query);
    return same == NOWHERE ? ask(gate, shared, query, out) : share(gate, shared, query, same, out);
}

enum gate_entry gate_enter(struct gate *gate, const struct gate_query *query, struct gate_pass *out) {
    *out = (struct gate_pass){NOWHERE, NOWHERE, 0};
    struct gate_shared *shared = lock(gate);
    enum gate_entry entry = enter(gate, shared, query, out);
    if ((entry == GATE_FULL || entry == GATE_RESTING) && bury_all(gate, shared)) {
        entry = enter(gate, shared, query, out);
    }
    unlock(shared);
    return entry;
}

/* What comes first counts if the process dies here: a row that says too many failures and no rest lets a probe through.
 */
static bool note_failure(const struct gate_limits *limits, struct gate_shared *shared, const struct gate_place *place) {
    struct gate_endpoint *endpoint = find_endpoint(shared, place->endpoint);
    if (endpoint == NULL) {
        endpoint = make_endpoint(shared, place->endpoint);
    }
    endpoint->failures++;
    endpoint->failed_at = clock_monotonic();
    bool rests = endpoint->failures == limits->rest_after || place->is_probe;
    if (rests) {
        endpoint->resting_until = endpoint->failed_at + limits->rest;
    }
    return rests;
}

bool gate_answered(struct gate *gate, const struct gate_pass *pass, bool failed) {
    struct gate_shared *shared = lock(gate);
    struct gate_place *place = &shared->places[pass->place];
    bool rests = failed && note_failure(&gate->limits, shared, place);
    struct gate_endpoint *endpoint = failed ? NULL : find_endpoint(shared, place->endpoint);
    if (endpoint != NULL) {
        endpoint->failures = 0;
    }
    shared->kinds[pass->place] = GATE_STORING;
    unlock(shared);
    return rests;
}

void gate_end(struct gate *gate, const struct gate_pass *pass, unsigned outcome) {
    struct gate_shared *shared = lock(gate);
    struct gate_place *place = &shared->places[pass->place];
    place->outcome = outcome;
    place->told_number = place->number;
    set_free(shared, pass->place);
    unlock(shared);
}

struct gate_use gate_look(struct gate *gate) {
    struct gate_use use = {0};
    struct gate_shared *shared = lock(gate);
    bury_all(gate, shared);
    for (size_t at = 0; at < GATE_PLACES; at++) {
        use.in_flight += shared->kinds[at] == GATE_ASKING;
        use.sharing += shared->kinds[at] == GATE_SHARING;
    }
    for (size_t i = 0; i < GATE_ENDPOINTS; i++) {
        use.resting += shared->endpoints[i].failures >= gate->limits.rest_after;
    }
    unlock(shared);
    return use;
}

static void look_whether_it_lives(struct gate *gate, const struct gate_pass *pass) {
    struct gate_shared *shared = lock(gate);
    if (shared->places[pass->shared_place].number == pass->shared_number) {
        bury(gate, shared, pass->shared_place);
    }
    unlock(shared);
}

bool gate_wait(struct gate *gate, const struct gate_pass *pass, duration timeout, unsigned *outcome) {
    struct gate_place *place = &gate->file.shared->places[pass->shared_place];
    duration until = clock_monotonic() + timeout, left = timeout;
    while (place->number == pass->shared_number && left > 0) {
        sleep_on(&place->number, pass->shared_number, left < LOOK_EVERY ? left : LOOK_EVERY);
        look_whether_it_lives(gate, pass);
        left = until - clock_monotonic();
    }
    struct gate_shared *shared = lock(gate);
    bool told = place->number != pass->shared_number && place->told_number == pass->shared_number;
    *outcome = told ? place->outcome : 0;
    set_free(shared, pass->place);
    unlock(shared);
    return told;
}
