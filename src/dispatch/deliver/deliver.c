#include "dispatch/deliver/deliver.h"

#include "dispatch/deliver/lease.h"
#include "outbound/trust.h"
#include "store/notification/stuck.h"

/* Longest time between two questions to the database about due notifications. */
#define ASK_EVERY        (200 * MILLISECOND)
#define DATABASE_IS_AWAY (200 * MILLISECOND)

/* At the end of a run, how long the last outcomes may take to be recorded. Leases hold for longer. */
#define TIME_TO_RECORD (5 * SECOND)

/* How often to look for stuck notifications, and how many to release at once. */
#define SWEEP_EVERY (10 * SECOND)
enum { RELEASED_AT_ONCE = 1000 };

/* How often to look for tests of endpoints: a user of the console waits for the result. */
#define TEST_EVERY SECOND

enum { MERCHANTS_MAX = 10000 };

/* The state of the leading task. */
struct delivering {
    struct deliverer deliverer;
    struct watch stop;   /* signals that the run must end */
    struct arena *arena; /* for one transaction of leases, or one question */
    duration ask_at, sweep_at, test_at;
};

/* Asks the database which merchants have due notifications, and when to ask again. */
static enum status ask_what_is_due(struct delivering *work, struct connection *connection) {
    struct due_merchant *due;
    size_t count;
    struct delivery_next next;
    enum status status = deliveries_next(connection, ASK_EVERY, &next);
    if (status == STATUS_OK && next.is_due) {
        status = deliveries_merchants(connection, MERCHANTS_MAX, work->arena, &due, &count);
        if (status == STATUS_OK) {
            merchant_slots_refresh(work->deliverer.merchants, due, count);
        }
    }
    work->ask_at = clock_monotonic() + (status == STATUS_OK ? next.ask_in : DATABASE_IS_AWAY);
    arena_reset(work->arena);
    return status;
}

/*
 * Releases stuck notifications, which wait for one that has finished: two database servers that were written to at
 * once, or a session that had locked them, left them so. They are due at once.
 */
static enum status sweep(struct delivering *work, struct connection *connection) {
    uint64_t released = 0;
    work->sweep_at = clock_monotonic() + SWEEP_EVERY;
    enum status status = stuck_release(connection, RELEASED_AT_ONCE, work->arena, &released);
    if (released > 0) {
        log_line(LOG_WARNING, "released %llu stuck notifications", (unsigned long long)released);
    }
    arena_reset(work->arena);
    return status;
}

/* Does what is due of the periodic work with the database: stuck notifications, tests of endpoints, due notifications
 * (if `asks`), beats. None of it waits for another that is refused, or whose rows others have locked. */
static enum status do_periodic_work(struct delivering *work, struct connection *connection, bool asks) {
    struct task_run *run = work->deliverer.run;
    duration now = clock_monotonic();
    enum status status = STATUS_OK;
    if (now >= work->sweep_at) {
        status = sweep(work, connection);
        task_run_progress(run);
    }
    if (!status_stops_all(status) && (now >= work->test_at || work->deliverer.tests_ended)) {
        work->deliverer.tests_ended = false;
        status = status_worse(status, requested_tests_work(work->deliverer.tests, connection, work->deliverer.client));
        work->test_at = clock_monotonic() + TEST_EVERY;
    }
    if (!status_stops_all(status) && asks) {
        status = status_worse(status, ask_what_is_due(work, connection));
        task_run_progress(run);
    }
    if (!status_stops_all(status) && task_run_beat_is_due(run)) {
        uint64_t in_flight = merchant_slots_in_flight(work->deliverer.merchants);
        status = status_worse(status, task_run_beat(run, connection, in_flight));
    }
    return status;
}

static void ask_database_when_due(struct delivering *work) {
    struct task_run *run = work->deliverer.run;
    struct connection *connection;
    duration now = clock_monotonic();
    bool asks = now >= work->ask_at;
    if (!asks && !work->deliverer.tests_ended && !task_run_beat_is_due(run)) {
        return;
    }
    enum status status = pool_take(run->pool, &connection);
    work->deliverer.has_asked = work->deliverer.has_asked || asks;
    task_run_progress(run);
    if (status == STATUS_OK) {
        status = do_periodic_work(work, connection, asks);
        pool_give(run->pool, connection);
    } else {
        work->ask_at = now + DATABASE_IS_AWAY;
    }
    task_run_note(run, status);
    task_run_progress(run);
}

static bool has_something_in_hand(const struct deliverer *deliverer) {
    return merchant_slots_in_flight(deliverer->merchants) > 0 || merchant_slots_waiting(deliverer->merchants) > 0 ||
           outcomes_count(deliverer->outcomes) > 0 || deliverer->is_recording ||
           requested_tests_in_hand(deliverer->tests) > 0;
}

/* Waits until there is something to lease or to ask. */
static void wait_for_work(struct delivering *work) {
    duration until = work->ask_at, ends_at = work->deliverer.run->ends_at;
    until = !work->deliverer.run->once && ends_at < until ? ends_at : until;
    if (until > clock_monotonic()) {
        (void)task_wait(&work->deliverer.leader, until);
    }
}

/* Runs one round. False: with --once, nothing is left to do, or outcomes cannot be recorded. */
static bool deliver_once(struct delivering *work) {
    struct deliverer *deliverer = &work->deliverer;
    bool once = deliverer->run->once;
    ask_database_when_due(work);
    task_run_report_sometimes(deliverer->run);
    lease_give_back(deliverer, work->arena, false);
    bool leased = lease_some(deliverer, work->arena);
    send_waiting(deliverer);
    task_run_progress(deliverer->run);
    if (once && deliverer->record_failed) {
        return false;
    }
    if (once && !leased && !outcomes_are_untried(deliverer->outcomes) && !has_something_in_hand(deliverer)) {
        work->ask_at = 0;
        return !deliverer->has_asked;
    }
    if (!leased) {
        wait_for_work(work);
    }
    return true;
}

/* Records the outcomes of tests, and takes no new ones. */
static void record_tests(struct deliverer *deliverer) {
    struct connection *connection;
    if (requested_tests_in_hand(deliverer->tests) == 0) {
        return;
    }
    enum status status = pool_take(deliverer->run->pool, &connection);
    if (status == STATUS_OK) {
        status = requested_tests_work(deliverer->tests, connection, NULL);
        pool_give(deliverer->run->pool, connection);
    }
    task_run_note(deliverer->run, status);
}

duration delivery_time_to_stop(const struct config *config) {
    return config->notification.timeout + TIME_TO_RECORD;
}

/* Gives back waiting notifications, then waits for the attempts in flight and records their outcomes. */
static void finish_deliveries(struct delivering *work) {
    struct deliverer *deliverer = &work->deliverer;
    duration stop_at = clock_monotonic() + delivery_time_to_stop(deliverer->run->config), now;
    lease_give_back(deliverer, work->arena, true);
    while (has_something_in_hand(deliverer) && (now = clock_monotonic()) < stop_at) {
        (void)task_wait(&deliverer->leader, now + SECOND < stop_at ? now + SECOND : stop_at);
        task_run_progress(deliverer->run);
        record_tests(deliverer);
    }
    if (has_something_in_hand(deliverer) || outcomes_locked(deliverer->outcomes) > 0) {
        log_line(LOG_WARNING,
                 "leaving with %llu notifications in flight and %zu outcomes not recorded; their leases end, then they "
                 "are taken up again",
                 (unsigned long long)merchant_slots_in_flight(deliverer->merchants),
                 outcomes_count(deliverer->outcomes) + outcomes_locked(deliverer->outcomes));
    }
}

/*
 * Records outcomes whose lease no longer holds. This process itself may have leased the notification again while the
 * answer is still on its way; the outcome then belongs to the new lease. So waits until no leasing is in progress. The
 * sendings then have the leases that the database has, unless another dispatcher has leased them.
 */
static enum status record_under_new_leases(struct deliverer *deliverer, struct recorder *by) {
    by->all_must_hold = false;
    deliverer->leases_rest = true;
    while (deliverer->is_leasing) {
        (void)task_wait(&deliverer->recorder, INT64_MAX);
    }
    enum status status = outcomes_record(deliverer->outcomes, by);
    deliverer->leases_rest = false;
    return status;
}

/* Records outcomes. This may make other notifications due, and makes room for more. */
static void record_outcomes(struct deliverer *deliverer) {
    struct recorder by = {deliverer->run, deliverer->sendings, deliverer->merchants, .all_must_hold = true};
    deliverer->is_recording = true;
    enum status status = outcomes_record(deliverer->outcomes, &by);
    if (status == STATUS_CHANGED) {
        status = record_under_new_leases(deliverer, &by);
    }
    deliverer->is_recording = false;
    deliverer->has_asked = false;
    deliverer->record_failed = status != STATUS_OK;
    task_run_note(deliverer->run, status);
    send_waiting(deliverer);
    task_wake_first(&deliverer->leader);
}

static void keep_recording(void *of_deliverer) {
    struct deliverer *deliverer = of_deliverer;
    while (!deliverer->has_ended) {
        duration wait = send_time_to_record(deliverer);
        if (wait <= 0) {
            record_outcomes(deliverer);
        } else {
            deliverer->record_at = clock_monotonic() + wait;
            (void)task_wait(&deliverer->recorder, deliverer->record_at);
        }
    }
    deliverer->recorder_has_ended = true;
    task_wake_first(&deliverer->leader);
}

static void told_to_stop(struct watch *watch, uint32_t events) {
    struct delivering *work = OWNER_OF(watch, struct delivering, stop);
    (void)events;
    task_wake_first(&work->deliverer.leader);
}

static void work_until_over(struct delivering *work) {
    struct deliverer *deliverer = &work->deliverer;
    task_start(keep_recording, deliverer);
    while (!task_run_is_over(deliverer->run) && deliver_once(work)) {
    }
    finish_deliveries(work);
    deliverer->has_ended = true;
    task_wake_first(&deliverer->recorder);
    while (!deliverer->recorder_has_ended) {
        (void)task_wait(&deliverer->leader, INT64_MAX);
    }
}

void deliver(struct task_run *run) {
    struct delivering work = {
        .deliverer = {.run = run, .merchants = merchant_slots_create(run->config), .sendings = sendings_create()},
        .stop = {run->stop_event, told_to_stop},
        .arena = arena_create()};
    struct deliverer *deliverer = &work.deliverer;
    deliverer->outcomes = outcomes_create(run->config);
    deliverer->tests = requested_tests_create(run);
    trust_tell(run->config);
    deliverer->client = http_client_create(&run->guard, run->config->dispatcher.in_flight + ENDPOINT_TESTS_AT_ONCE,
                                           run->config->security.ca_file);
    send_begin(deliverer);
    if (!watch_begin(&work.stop, EPOLLIN | EPOLLET)) {
        abort();
    }
    work_until_over(&work);
    watch_end(&work.stop);
    outcomes_destroy(deliverer->outcomes);
    http_client_destroy(deliverer->client);
    requested_tests_destroy(deliverer->tests);
    sendings_destroy(deliverer->sendings);
    merchant_slots_destroy(deliverer->merchants);
    arena_destroy(work.arena);
}
