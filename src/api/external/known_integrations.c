#include "api/external/known_integrations.h"

#include "base/clock.h"
#include "base/memory.h"
#include "store/external/integrations.h"

/*
 * After the first time one task reads the list again while the others use the old one. After the second every task
 * does.
 */
#define READ_ANEW_AFTER (3 * SECOND)
#define TOO_OLD_AFTER   (4 * SECOND)

struct known_integrations {
    struct arena *arena;      /* holds the list; NULL: never read */
    struct integration *list; /* sorted */
    size_t count;
    duration asked_at;
    bool somebody_reads;
};

struct known_integrations *known_integrations_create(void) {
    return memory_zeroed(1, sizeof(struct known_integrations));
}

void known_integrations_destroy(struct known_integrations *integrations) {
    arena_destroy(integrations->arena);
    free(integrations);
}

/* Returns whether this task must read the list. */
static bool must_read(const struct known_integrations *integrations) {
    duration age = clock_monotonic() - integrations->asked_at;
    bool never = integrations->arena == NULL;
    return never || age >= TOO_OLD_AFTER || (age >= READ_ANEW_AFTER && !integrations->somebody_reads);
}

static void replace(struct known_integrations *integrations, struct arena *arena, struct integration *list,
                    size_t count, duration asked_at) {
    struct arena *old = arena;
    if (integrations->arena == NULL || asked_at > integrations->asked_at) {
        old = integrations->arena;
        integrations->arena = arena;
        integrations->list = list;
        integrations->count = count;
        integrations->asked_at = asked_at;
    }
    arena_destroy(old);
}

/* Waits for the database. Meanwhile other tasks use the cache, or read the list too. */
static enum status read_anew(struct known_integrations *integrations, struct connection *connection) {
    struct integration *list;
    size_t count;
    struct arena *arena = arena_create();
    duration asked_at = clock_monotonic();
    integrations->somebody_reads = true;
    enum status status = integrations_read(connection, arena, &list, &count);
    if (status == STATUS_OK) {
        integration_sort(list, count);
    }
    integrations->somebody_reads = false;
    if (status == STATUS_OK) {
        replace(integrations, arena, list, count, asked_at);
    } else {
        arena_destroy(arena);
    }
    return status;
}

static enum status read_if_stale(struct known_integrations *integrations, struct connection *connection) {
    return must_read(integrations) ? read_anew(integrations, connection) : STATUS_OK;
}

/* `age`: how long ago the list was read. */
static void copy_out(const struct integration *from, duration age, struct arena *arena, struct integration *out) {
    *out = *from;
#define X(name) out->name = arena_copy(arena, from->name);
    INTEGRATION_TEXTS(X)
#undef X
    sealed_pair_own(&out->sealed_hash, arena);
    out->sealed_hash.old_for -= age;
}

static enum status choose_from_list(const struct known_integrations *integrations, struct text reference,
                                    uint64_t network_id, struct arena *arena, struct integration *out) {
    const struct integration *chosen =
        integration_choose(integrations->list, integrations->count, reference, network_id);
    if (chosen != NULL) {
        copy_out(chosen, clock_monotonic() - integrations->asked_at, arena, out);
    }
    return chosen == NULL ? STATUS_NONE : STATUS_OK;
}

enum status known_integrations_find(struct known_integrations *integrations, struct connection *connection,
                                    struct text reference, uint64_t network_id, struct arena *arena,
                                    struct integration *out) {
    enum status status = read_if_stale(integrations, connection);
    return status == STATUS_OK ? choose_from_list(integrations, reference, network_id, arena, out) : status;
}

enum status known_integrations_recall(const struct known_integrations *integrations, struct text reference,
                                      uint64_t network_id, struct arena *arena, struct integration *out) {
    return must_read(integrations) ? STATUS_CHANGED : choose_from_list(integrations, reference, network_id, arena, out);
}

enum status known_integrations_cover(struct known_integrations *integrations, struct connection *connection,
                                     struct text reference, uint64_t merchant_id, bool *covered) {
    enum status status = read_if_stale(integrations, connection);
    *covered = integration_covers(integrations->list, integrations->count, reference, merchant_id);
    return status;
}
