#include "dispatch/deliver/deliver.h"

#include "dispatch/deliver/endpoint_tests.h"
#include "dispatch/deliver/merchant_slots.h"
#include "dispatch/deliver/outcomes.h"
#include "outbound/notify.h"
#include "outbound/trust.h"
#include "store/notification/stuck.h"

/* How often the database is asked for what is due when nobody says so. */
#define ASK_EVERY        (200 * MILLISECOND)
#define DATABASE_IS_AWAY (200 * MILLISECOND)
#define TIME_TO_STOP     (10 * SECOND)

/* How often to look for stuck notifications, and how many to release at once. */
#define SWEEP_EVERY (10 * SECOND)
enum { RELEASED_AT_ONCE = 1000 };

/* How often it is looked for tests of endpoints: somebody sits before a page and waits. */
#define TEST_EVERY SECOND

/* A lease outlives an attempt by this; what a killed dispatcher had in hand is taken up again after both. */
#define LEASE_BEYOND_ATTEMPT (20 * SECOND)

enum { MERCHANTS_MAX = 10000 };

struct deliverer {
    struct task_run *run;
    struct http_client *client;
    struct merchant_slots *merchants;
    struct outcomes *outcomes;
    struct arena *arena; /* for one claim */
    struct sendings *sendings;
    struct endpoint_tests *tests;
    duration ask_at, sweep_at, test_at;
    bool asked; /* since outcomes were recorded, which may have made others due */
};

/* What the merchants' secret cannot be opened for is not sent: recorded as a failed attempt, so that it is seen. */
static bool prepare_request(const struct deliverer *deliverer, const struct sending *sending,
                            struct http_request *request) {
    const struct notification *notification = &sending->notification;
    struct secret_pair hash;
    if (!secret_pair_open(deliverer->run->vault, "merchants.notification_hash", notification->merchant_name,
                          &notification->sealed_hash, clock_monotonic(), &hash)) {
        log_line(LOG_ERROR,
                 "the NOTIFICATION_HASH of merchant %llu cannot be decrypted: encrypted with another key, or damaged",
                 (unsigned long long)notification->merchant_id);
        return false;
    }
    *request = notify_request(notification, &hash, sending->started_at, deliverer->run->config->notification.timeout,
                              sending->arena);
    secret_pair_wipe(&hash);
    return true;
}

static void send_one(struct deliverer *deliverer, struct merchant_state *merchant, const struct lease_request *lease,
                     const struct notification *notification, instant now) {
    struct sending *sending = sendings_add(deliverer->sendings, notification, lease->lease);
    struct http_request request;
    if (sending == NULL) {
        return;
    }
    sending->merchant = merchant;
    sending->started_at = now;
    merchant_slots_started(deliverer->merchants, merchant);
    if (!prepare_request(deliverer, sending, &request) || !http_client_start(deliverer->client, &request, sending)) {
        sending->answered = false;
        merchant_slots_ended(deliverer->merchants, merchant, false);
        outcomes_add_unsent(deliverer->outcomes, sending);
    }
}

/* Claims for one merchant and starts sending. False: the database did not answer. */
static bool lease_and_send(struct deliverer *deliverer, struct merchant_state *merchant, uint64_t most,
                           bool first_only) {
    struct lease_request lease = {
        .merchant_id = merchant->merchant_id, .most = most, .first_attempts_only = first_only};
    struct notification *notifications;
    struct connection *connection;
    size_t count = 0;
    instant now;
    lease.lease_for = deliverer->run->config->notification.timeout + LEASE_BEYOND_ATTEMPT;
    enum status status =
        secret_random(lease.lease, LEASE_BYTES) ? pool_take(deliverer->run->pool, &connection) : STATUS_FAULT;
    if (status == STATUS_OK) {
        status = deliveries_lease(connection, &lease, deliverer->arena, &notifications, &count, &now);
        pool_give(deliverer->run->pool, connection);
    }
    merchant->is_due = status == STATUS_OK && count == most;
    for (size_t i = 0; i < count; i++) {
        send_one(deliverer, merchant, &lease, &notifications[i], now);
    }
    arena_reset(deliverer->arena);
    task_run_note(deliverer->run, status == STATUS_NONE ? STATUS_OK : status);
    return status == STATUS_OK || status == STATUS_NONE;
}

/* Asks the database which merchants have something due, and when to ask again. */
static enum status ask_what_is_due(struct deliverer *deliverer, struct connection *connection) {
    struct due_merchant *due;
    size_t count;
    struct delivery_next next;
    enum status status = deliveries_next(connection, ASK_EVERY, &next);
    if (status == STATUS_OK && next.is_due) {
        status = deliveries_merchants(connection, MERCHANTS_MAX, deliverer->arena, &due, &count);
        if (status == STATUS_OK) {
            merchant_slots_refresh(deliverer->merchants, due, count);
        }
    }
    deliverer->ask_at = clock_monotonic() + (status == STATUS_OK ? next.ask_in : DATABASE_IS_AWAY);
    arena_reset(deliverer->arena);
    return status;
}

/* Releases what two database servers, written to at once, have left waiting for nothing. What it finds is due. */
static enum status sweep(struct deliverer *deliverer, struct connection *connection) {
    uint64_t released = 0;
    deliverer->sweep_at = clock_monotonic() + SWEEP_EVERY;
    enum status status = stuck_release(connection, RELEASED_AT_ONCE, deliverer->arena, &released);
    if (released > 0) {
        log_line(LOG_WARNING, "released %llu stuck notifications", (unsigned long long)released);
    }
    arena_reset(deliverer->arena);
    return status;
}

/* What is done with the database from time to time. */
static void ask_database_when_due(struct deliverer *deliverer) {
    struct connection *connection;
    duration now = clock_monotonic();
    if (now < deliverer->ask_at && !task_run_beat_is_due(deliverer->run)) {
        return;
    }
    enum status status = pool_take(deliverer->run->pool, &connection);
    deliverer->asked = deliverer->asked || now >= deliverer->ask_at;
    if (status == STATUS_OK) {
        if (now >= deliverer->sweep_at) {
            status = sweep(deliverer, connection);
        }
        if (status == STATUS_OK && now >= deliverer->test_at) {
            deliverer->test_at = now + TEST_EVERY;
            status = endpoint_tests_work(deliverer->tests, connection, deliverer->client);
        }
        if (status == STATUS_OK && now >= deliverer->ask_at) {
            status = ask_what_is_due(deliverer, connection);
        }
        if (status == STATUS_OK && task_run_beat_is_due(deliverer->run)) {
            status = task_run_beat(deliverer->run, connection, merchant_slots_in_flight(deliverer->merchants));
        }
        pool_give(deliverer->run->pool, connection);
    } else {
        deliverer->ask_at = now + DATABASE_IS_AWAY;
    }
    task_run_note(deliverer->run, status);
}

/* Claims for one merchant, so that what was claimed leaves before the next lease. False: there is nothing to claim
 * now. */
static bool start_some(struct deliverer *deliverer) {
    uint64_t most;
    bool first_only;
    struct merchant_state *merchant =
        outcomes_are_full(deliverer->outcomes) ? NULL : merchant_slots_next(deliverer->merchants, &most, &first_only);
    return merchant != NULL && lease_and_send(deliverer, merchant, most, first_only);
}

static duration time_to_record(const struct deliverer *deliverer) {
    return outcomes_time_to_record(deliverer->outcomes, merchant_slots_in_flight(deliverer->merchants) == 0);
}

/* Waits until a delivery ends, something else is to be done or wake_fd is readable, and takes in what has ended. */
static void wait_and_collect(struct deliverer *deliverer, duration longest, int wake_fd) {
    duration until_record = time_to_record(deliverer);
    void *tag;
    struct http_reply reply;
    http_client_wait(deliverer->client, until_record < longest ? until_record : longest, wake_fd);
    task_run_progress(deliverer->run);
    while (http_client_next(deliverer->client, &tag, &reply)) {
        struct sending *sending = tag;
        if (endpoint_tests_end(deliverer->tests, tag, &reply)) {
            deliverer->test_at = deliverer->ask_at = 0;
            continue;
        }
        sending->answered = reply.error == HTTP_FINE && reply.status < 500 && reply.status != 429;
        merchant_slots_ended(deliverer->merchants, sending->merchant, sending->answered);
        outcomes_add(deliverer->outcomes, sending, &reply);
    }
}

/* False: what is to be recorded now could not be. */
static bool record(struct deliverer *deliverer) {
    if (outcomes_count(deliverer->outcomes) == 0 || time_to_record(deliverer) > 0) {
        return true;
    }
    deliverer->asked = false;
    enum status status = outcomes_record(deliverer->outcomes, deliverer->run, deliverer->sendings);
    task_run_note(deliverer->run, status);
    return status == STATUS_OK;
}

static bool has_something_in_hand(const struct deliverer *deliverer) {
    return merchant_slots_in_flight(deliverer->merchants) > 0 || outcomes_count(deliverer->outcomes) > 0 ||
           endpoint_tests_in_hand(deliverer->tests) > 0;
}

/* One round of a run that goes on. False: with --once, nothing is left to do, or nothing that can be done. */
static bool deliver_once(struct deliverer *deliverer) {
    bool once = deliverer->run->once;
    ask_database_when_due(deliverer);
    task_run_report_sometimes(deliverer->run);
    bool started = start_some(deliverer);
    if (once && !started && !has_something_in_hand(deliverer)) {
        deliverer->ask_at = 0;
        return !deliverer->asked;
    }
    duration until_ask = deliverer->ask_at - clock_monotonic();
    wait_and_collect(deliverer, started || until_ask < 0 ? 0 : until_ask, deliverer->run->stop_event);
    return record(deliverer) || !once;
}

/* Takes no more of them. */
static void record_tests(struct deliverer *deliverer) {
    struct connection *connection;
    if (endpoint_tests_in_hand(deliverer->tests) == 0) {
        return;
    }
    enum status status = pool_take(deliverer->run->pool, &connection);
    if (status == STATUS_OK) {
        status = endpoint_tests_work(deliverer->tests, connection, NULL);
        pool_give(deliverer->run->pool, connection);
    }
    task_run_note(deliverer->run, status);
}

/* What is in flight is awaited and recorded, for a while. */
static void finish_deliveries(struct deliverer *deliverer) {
    duration stop_at = clock_monotonic() + TIME_TO_STOP, left;
    while (has_something_in_hand(deliverer) && (left = stop_at - clock_monotonic()) > 0) {
        wait_and_collect(deliverer, left < SECOND ? left : SECOND, -1);
        record(deliverer);
        record_tests(deliverer);
    }
    if (has_something_in_hand(deliverer)) {
        log_line(LOG_WARNING,
                 "leaving with %llu notifications in flight and %zu outcomes not recorded; their leases end, then they "
                 "are taken up again",
                 (unsigned long long)merchant_slots_in_flight(deliverer->merchants),
                 outcomes_count(deliverer->outcomes));
    }
}

void deliver(struct task_run *run) {
    struct deliverer deliverer = {.run = run, .merchants = merchant_slots_create(run->config), .arena = arena_create()};
    deliverer.sendings = sendings_create();
    deliverer.outcomes = outcomes_create(run->config);
    deliverer.tests = endpoint_tests_create(run);
    trust_tell(run->config);
    deliverer.client = http_client_create(&run->guard, run->config->dispatcher.in_flight + ENDPOINT_TESTS_AT_ONCE,
                                          run->config->security.ca_file);
    while (!task_run_is_over(run) && deliver_once(&deliverer)) {
    }
    finish_deliveries(&deliverer);
    outcomes_destroy(deliverer.outcomes);
    http_client_destroy(deliverer.client);
    endpoint_tests_destroy(deliverer.tests);
    sendings_destroy(deliverer.sendings);
    merchant_slots_destroy(deliverer.merchants);
    arena_destroy(deliverer.arena);
}
