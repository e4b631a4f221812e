#include "dispatch/settle/retain.h"

#include "base/config/config_duration.h"
#include "base/zone/zone_day.h"
#include "store/operation/retention.h"
#include "store/payment/settlements.h"

/* While a walk is in progress: the length of a slice, and the time from one slice to the next. */
#define SLICE       (50 * MILLISECOND)
#define SLICE_EVERY (250 * MILLISECOND)

/* How often to check whether a walk is due. */
#define CHECK_EVERY MINUTE

struct night {
    instant now, cut; /* cut: when the current walk was due, which identifies it */
    duration began;   /* of the step */
    bool more;        /* a walk is unfinished and not refused */
    bool is_done;     /* every walk has ended */
};

/*
 * Finds tonight's walk, or begins it. An unfinished walk of an earlier night continues: otherwise the rows at its end
 * would never be reached. A walk of a future night was begun before the clock was set back. It is replaced, because it
 * would remove rows that are not old enough, and block every walk until then.
 */
static enum status take_walk(struct connection *connection, enum purge_kind kind, const struct night *night,
                             struct retention_walk *walk) {
    enum status status = retention_find(connection, kind, walk);
    bool is_over = walk->has_ended && walk->begun_for < night->cut;
    return status == STATUS_OK && (is_over || walk->begun_for > night->now)
               ? retention_begin(connection, kind, night->cut, walk)
               : status;
}

/* Continues the walk for one slice. *more: it is unfinished. */
static enum status walk_on(const struct task_run *run, struct connection *connection, enum purge_kind kind,
                           struct retention_walk *walk, bool *more) {
    char age[32], reason[64];
    duration until = clock_monotonic() + SLICE;
    enum status status = STATUS_OK;
    config_print_duration(retention_age(run->config, kind), age, sizeof age);
    snprintf(reason, sizeof reason, "older than %s", age);
    const struct purge purge = {.kind = kind,
                                .before = walk->begun_for - retention_age(run->config, kind),
                                .actor = TEXT("dispatcher"),
                                .reason = text_of(reason)};
    struct arena *scratch = arena_create();
    while (status == STATUS_OK && !walk->has_ended && (run->once || clock_monotonic() < until) &&
           !task_run_is_over(run)) {
        status = retention_step(connection, scratch, &purge, until, walk);
        task_run_progress(run);
        if (status == STATUS_OK && walk->has_ended) {
            log_line(LOG_INFO, "retention: removed %llu %s older than %s", (unsigned long long)walk->removed,
                     retention_words(kind), age);
        }
    }
    arena_destroy(scratch);
    *more = !walk->has_ended;
    return status;
}

static enum status retain_kind(const struct task_run *run, struct connection *connection, enum purge_kind kind,
                               struct night *night) {
    struct retention_walk walk = {0};
    bool more = false;
    enum status status = take_walk(connection, kind, night, &walk);
    if (status == STATUS_OK && !walk.has_ended) {
        status = walk_on(run, connection, kind, &walk, &more);
    }
    bool is_shared = status == STATUS_CHANGED; /* with another dispatcher, which may exit before the walk ends */
    night->more = is_shared || (status == STATUS_OK && more);
    night->is_done = night->is_done && status == STATUS_OK && !more;
    return is_shared ? STATUS_OK : status;
}

/* A kind that the database refuses, or that others have locked, does not stop the others. Returns the first such
 * status, if there was one. */
static enum status retain(const struct task_run *run, struct connection *connection, struct retainer *retainer,
                          struct night *night) {
    enum status first = STATUS_OK;
    night->is_done = true;
    for (enum purge_kind kind = 0; kind < PURGE_KINDS && !night->more; kind++) {
        if (retention_age(run->config, kind) == CONFIG_KEPT) {
            continue;
        }
        if (night->began < retainer->again_at[kind]) {
            night->is_done = false;
            continue;
        }
        enum status status = retain_kind(run, connection, kind, night);
        if (status_stops_all(status)) {
            return status;
        }
        retainer->again_at[kind] = status_is_refused(status) ? night->began + CHECK_EVERY : 0;
        first = status_worse(first, status);
    }
    return first;
}

enum status retain_step(const struct task_run *run, struct connection *connection, struct retainer *retainer) {
    const struct config *config = run->config;
    struct night night = {.began = clock_monotonic()};
    instant day;
    if (config->retention.begin_at == ZONE_TIME_OFF || night.began < retainer->look_at) {
        return STATUS_OK;
    }
    enum status status = settlements_now(connection, &night.now);
    if (status == STATUS_OK &&
        zone_cut(config->settlement.zone, config->retention.begin_at, night.now, &night.cut, &day) &&
        night.cut != retainer->retained_for) {
        status = retain(run, connection, retainer, &night);
        retainer->retained_for = status == STATUS_OK && night.is_done ? night.cut : retainer->retained_for;
    }
    retainer->look_at = night.began + (night.more ? SLICE_EVERY : CHECK_EVERY);
    return status;
}
