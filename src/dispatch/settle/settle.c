#include "dispatch/settle/settle.h"

#include "dispatch/settle/close.h"
#include "dispatch/settle/expire.h"
#include "dispatch/settle/retain.h"
#include "dispatch/settle/seal.h"
#include "store/operation/health.h"
#include "store/order/expiry.h"
#include "store/party/money_limits.h"
#include "store/payment/counts.h"
#include "store/payment/windows.h"

#include <inttypes.h>

/* Longest sleep. New work, and work that another host leaves, waits no longer than this. */
#define LONGEST_SLEEP    (500 * MILLISECOND)
#define DATABASE_IS_AWAY (200 * MILLISECOND)

/*
 * Shortest sleep after a pass that did nothing although something is due: another dispatcher has locked it, or its rows
 * contradict each other.
 */
#define NOTHING_TO_TAKE (100 * MILLISECOND)

/* Pause after payments of a kind, or expiring orders, were written one by one. */
#define AFTER_SINGLES (5 * SECOND)

/* How often to log that top-ups cannot be credited. */
#define REPORTING MINUTE

/* How often to check the networks' limits, and to count payments. */
#define WATCHING MINUTE

typedef enum status (*settle_step)(struct connection *, uint64_t, uint64_t *);
typedef enum status (*settle_each)(struct connection *, uint64_t, struct routine_walk *);

/* The kinds of payments, the more urgent one first: how to finalise a batch, and singly. */
static const struct payments {
    settle_step batch;
    settle_each each;
} PAYMENTS[] = {{windows_finalise_orders, windows_finalise_each_order},
                {windows_finalise_top_ups, windows_finalise_each_top_up}};

/* Of a kind of payments. */
struct finalising {
    duration at;      /* when it is due again, by the monotonic clock */
    bool goes_singly; /* a batch was refused or timed out on a lock, so what was due then is written one by one */
    struct routine_walk singly;
};

/* State kept between passes; initialise with {.run}. */
struct settling {
    struct task_run *run;
    struct closer closer;
    struct retainer retainer;
    struct sealer sealer;
    struct finalising payments[COUNT_OF(PAYMENTS)];
    duration expire_at, report_at, watch_at, count_at; /* by the monotonic clock */
};

/* Call it between batches: reports progress however long the work takes. */
static enum status report_progress(struct task_run *run, struct connection *connection) {
    task_run_progress(run);
    task_run_report_sometimes(run);
    return task_run_beat_is_due(run) ? task_run_beat(run, connection, 0) : STATUS_OK;
}

/* Repeats `step` until it finds less than a full batch. */
static enum status repeat(struct task_run *run, settle_step step, struct connection *connection) {
    uint64_t batch = run->config->dispatcher.batch, done = batch;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && done == batch && !task_run_is_over(run)) {
        status = step(connection, batch, &done);
        run->done.finalised += status == STATUS_OK ? done : 0;
        status = status == STATUS_OK ? report_progress(run, connection) : status;
    }
    return status;
}

/* Writes some payments of a kind one by one, so that only those wait that the database refuses or whose rows are
 * locked. */
static enum status finalise_singly(struct task_run *run, settle_each each, struct connection *connection,
                                   struct finalising *state) {
    uint64_t before = state->singly.written;
    enum status status = each(connection, ONE_BY_ONE, &state->singly);
    run->done.finalised += state->singly.written - before;
    if (status != STATUS_OK || state->singly.has_ended) {
        state->goes_singly = false;
        state->at = clock_monotonic() + AFTER_SINGLES;
    }
    return status == STATUS_OK ? report_progress(run, connection) : status;
}

/* Finalises payments of a kind in batches, or some of them singly after a batch that could not be written. */
static enum status finalise_kind(struct task_run *run, const struct payments *kind, struct connection *connection,
                                 struct finalising *state) {
    if (clock_monotonic() < state->at) {
        return STATUS_OK;
    }
    if (!state->goes_singly) {
        enum status status = repeat(run, kind->batch, connection);
        if (status == STATUS_OK || status_stops_all(status) || connection_met_read_only(connection)) {
            return status;
        }
        task_run_note(run, status);
        state->goes_singly = true;
        state->singly = (struct routine_walk){0};
    }
    return finalise_singly(run, kind->each, connection, state);
}

/*
 * Finalises payments of orders, then top-ups. Rows that the database refuses to write, or that others have locked, do
 * not stop the other kind, expiring or closing settlements. *more: some are to be written singly; call again.
 */
static enum status finalise(struct settling *settling, struct connection *connection, bool *more) {
    enum status status = STATUS_OK;
    *more = false;
    for (size_t i = 0; i < COUNT_OF(PAYMENTS) && !status_stops_all(status); i++) {
        task_run_progress(settling->run);
        status = finalise_kind(settling->run, &PAYMENTS[i], connection, &settling->payments[i]);
        task_run_note(settling->run, status);
        *more = *more || settling->payments[i].goes_singly;
    }
    return status_stops_all(status) ? status : STATUS_OK;
}

/* Expires a batch of orders, unless they wait after some were written singly. *more: call again. */
static enum status expire(struct settling *settling, struct expiry *expiry, struct connection *connection, bool *more) {
    *more = false;
    if (clock_monotonic() < settling->expire_at) {
        return STATUS_OK;
    }
    enum status status = expiry_step(expiry, connection, more);
    if (expiry->goes_singly && !*more) {
        settling->expire_at = clock_monotonic() + AFTER_SINGLES;
    }
    return status;
}

/* Finalises before each batch of expiring orders. So windows close on time, however many orders fall due together. */
static enum status settle_all(struct settling *settling, struct connection *connection) {
    struct expiry expiry;
    bool more_payments = true, more_orders = true;
    enum status status = STATUS_OK;
    expiry_begin(&expiry, settling->run);
    while (status == STATUS_OK && (more_payments || more_orders) && !task_run_is_over(settling->run)) {
        status = finalise(settling, connection, &more_payments);
        if (status == STATUS_OK && more_orders) {
            status = expire(settling, &expiry, connection, &more_orders);
        }
    }
    expiry_end(&expiry);
    return status;
}

/* Runs one pass. *wait: the time until the next work is due. Costs one query when nothing is due. */
static enum status settle_due(struct settling *settling, struct connection *connection, duration *wait) {
    enum status status = expiry_next_work(connection, LONGEST_SLEEP, wait);
    if (status != STATUS_OK || *wait > 0) {
        return status;
    }
    status = settle_all(settling, connection);
    return status == STATUS_OK ? expiry_next_work(connection, LONGEST_SLEEP, wait) : status;
}

static enum status report_without_room(struct connection *connection, struct settling *settling) {
    duration now = clock_monotonic();
    uint64_t count = 0;
    if (now < settling->report_at) {
        return STATUS_OK;
    }
    settling->report_at = now + REPORTING;
    enum status status = health_without_room(connection, &count);
    if (count > 0) {
        log_line(LOG_ERROR,
                 "%" PRIu64 " top-ups cannot be credited: their accounts have no room (operations manual, "
                 "\"A top-up that cannot be credited\")",
                 count);
    }
    return status;
}

/*
 * Logs warnings about networks' limits. Each network, currency and day is logged once, by the first dispatcher that
 * sees it.
 */
static enum status warn_of_limits(struct connection *connection, struct settling *settling) {
    duration now = clock_monotonic();
    if (now < settling->watch_at) {
        return STATUS_OK;
    }
    settling->watch_at = now + WATCHING;
    struct arena *arena = arena_create();
    struct text warning;
    enum status status = money_limits_warn(connection, arena, &warning);
    for (; status == STATUS_OK && warning.size > 0; status = money_limits_warn(connection, arena, &warning)) {
        log_line(LOG_WARNING, "%.*s (recaudoctl network show; operations manual, \"A network reaches its limit\")",
                 TEXT_ARGS(warning));
    }
    arena_destroy(arena);
    return status;
}

/* Counts payments for the console's charts. After a rollback it counts them a minute later. */
static enum status count_payments(struct connection *connection, struct settling *settling) {
    duration now = clock_monotonic();
    if (now < settling->count_at) {
        return STATUS_OK;
    }
    settling->count_at = now + WATCHING;
    enum status status = payment_counts_update(connection);
    return status == STATUS_AGAIN ? STATUS_OK : status;
}

static uint64_t count_settled(const struct task_run *run) {
    return run->done.finalised + run->done.expired;
}

static enum status run_close_step(struct connection *connection, struct settling *settling) {
    return close_step(settling->run, connection, &settling->closer);
}

static enum status run_retain_step(struct connection *connection, struct settling *settling) {
    return retain_step(settling->run, connection, &settling->retainer);
}

static enum status run_seal_step(struct connection *connection, struct settling *settling) {
    return seal_step(settling->run, connection, &settling->sealer);
}

typedef enum status (*other_step)(struct connection *, struct settling *);

static const other_step OTHER_STEPS[] = {run_close_step, report_without_room, warn_of_limits,
                                         count_payments, run_retain_step,     run_seal_step};

/* The work of a pass besides payments and orders. A step that the database refuses, or whose rows are locked, does not
 * stop the others. Returns the first such status, if there was one. */
static enum status do_other_steps(struct connection *connection, struct settling *settling) {
    enum status first = STATUS_OK;
    for (size_t i = 0; i < COUNT_OF(OTHER_STEPS) && !status_stops_all(first); i++) {
        enum status shown = report_progress(settling->run, connection); /* the step before may have waited for a lock */
        first = status_worse(first, status_stops_all(shown) ? shown : OTHER_STEPS[i](connection, settling));
    }
    return first;
}

/* Reports progress first: work that waits for a lock may lose the connection, in every pass. */
static enum status settle_and_do_others(struct connection *connection, struct settling *settling, duration *wait) {
    enum status shown = report_progress(settling->run, connection);
    enum status settled = status_stops_all(shown) ? shown : settle_due(settling, connection, wait);
    if (status_stops_all(settled)) {
        return settled;
    }
    return status_worse(status_worse(shown, settled), do_other_steps(connection, settling));
}

/* Makes one pass with a connection of the pool. Returns the time to sleep after it. */
static duration settle_pass(struct settling *settling) {
    struct task_run *run = settling->run;
    struct connection *connection;
    uint64_t before = count_settled(run);
    duration wait = DATABASE_IS_AWAY;
    enum status status = pool_take(run->pool, &connection);
    if (status == STATUS_OK) {
        status = settle_and_do_others(connection, settling, &wait);
        pool_give(run->pool, connection);
    }
    task_run_note(run, status);
    bool goes_on = status == STATUS_OK || status_is_refused(status); /* locked rows are not tried again at once */
    if (goes_on && (settling->closer.summing != NULL || sealer_is_busy(&settling->sealer))) {
        return 0;
    }
    return count_settled(run) == before && wait < NOTHING_TO_TAKE ? NOTHING_TO_TAKE : wait;
}

void settle(struct task_run *run) {
    struct settling settling = {.run = run};
    duration wait = settle_pass(&settling);
    while (!run->once && !task_run_is_over(run)) {
        task_run_sleep(run, wait);
        task_run_progress(run);
        wait = settle_pass(&settling);
    }
    closing_sum_drop(settling.closer.summing);
    sealer_end(&settling.sealer);
}
