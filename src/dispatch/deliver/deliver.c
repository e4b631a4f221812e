#include "dispatch/deliver/deliver.h"

#include "dispatch/deliver/load.h"
#include "dispatch/deliver/outcomes.h"
#include "outbound/notify.h"
#include "outbound/trust.h"
#include "store/notification/stuck.h"

/* How often the database is asked for what is due when nobody says so. */
#define ASK_EVERY        (200 * MILLISECOND)
#define DATABASE_IS_AWAY (200 * MILLISECOND)
#define TIME_TO_STOP     (10 * SECOND)

/* How often it is looked for notifications that wait for nothing, and how many are released at once. */
#define SWEEP_EVERY (10 * SECOND)
enum { RELEASED_AT_ONCE = 1000 };

/* A lease outlives an attempt by this; what a killed dispatcher had in hand is taken up again after both. */
#define LEASE_BEYOND_ATTEMPT (20 * SECOND)

enum { MERCHANTS_MAX = 10000 };

struct courier {
    struct run *run;
    struct http_crowd *crowd;
    struct load *load;
    struct outcomes *outcomes;
    struct arena *arena; /* for one claim */
    struct sendings *sendings;
    duration ask_at, sweep_at;
    bool asked; /* since outcomes were recorded, which may have made others due */
};

/* What the merchants' secret cannot be opened for is not sent: recorded as a failed attempt, so that it is seen. */
static bool prepare(const struct courier *courier, const struct sending *delivery, struct http_request *request) {
    const struct notification *notification = &delivery->notification;
    struct secret_pair hash;
    if (!secret_pair_open(courier->run->vault, "merchants.notification_hash", notification->merchant_name,
                          &notification->sealed_hash, clock_monotonic(), &hash)) {
        log_line(LOG_ERROR, "the NOTIFICATION_HASH of merchant %llu does not open: sealed with another key, or damaged",
                 (unsigned long long)notification->merchant_id);
        return false;
    }
    *request = notify_request(notification, &hash, delivery->started_at, courier->run->config->notification.timeout,
                              delivery->arena);
    secret_pair_wipe(&hash);
    return true;
}

static void send_one(struct courier *courier, struct merchant_load *merchant, const struct delivery_claim *claim,
                     const struct notification *notification, instant now) {
    struct sending *delivery = sendings_add(courier->sendings, notification, claim->lease);
    struct http_request request;
    if (delivery == NULL) {
        return;
    }
    delivery->merchant = merchant;
    delivery->started_at = now;
    load_started(courier->load, merchant);
    if (!prepare(courier, delivery, &request) || !http_crowd_start(courier->crowd, &request, delivery)) {
        delivery->answered = false;
        load_ended(courier->load, merchant, false);
        outcomes_add_unsent(courier->outcomes, delivery);
    }
}

/* Claims for one merchant and starts sending. False: the database did not answer. */
static bool claim_and_send(struct courier *courier, struct merchant_load *merchant, uint64_t most, bool first_only) {
    struct delivery_claim claim = {
        .merchant_id = merchant->merchant_id, .most = most, .first_attempts_only = first_only};
    struct notification *notifications;
    struct connection *connection;
    size_t count = 0;
    instant now;
    claim.lease_for = courier->run->config->notification.timeout + LEASE_BEYOND_ATTEMPT;
    enum status status =
        secret_random(claim.lease, LEASE_BYTES) ? pool_take(courier->run->pool, &connection) : STATUS_FAULT;
    if (status == STATUS_OK) {
        status = deliveries_claim(connection, &claim, courier->arena, &notifications, &count, &now);
        pool_give(courier->run->pool, connection);
    }
    merchant->is_due = status == STATUS_OK && count == most;
    for (size_t i = 0; i < count; i++) {
        send_one(courier, merchant, &claim, &notifications[i], now);
    }
    arena_reset(courier->arena);
    run_note(courier->run, status == STATUS_NONE ? STATUS_OK : status);
    return status == STATUS_OK || status == STATUS_NONE;
}

/* Asks the database which merchants have something due, and when to ask again. */
static enum status ask(struct courier *courier, struct connection *connection) {
    struct due_merchant *due;
    size_t count;
    struct delivery_next next;
    enum status status = deliveries_next(connection, ASK_EVERY, &next);
    if (status == STATUS_OK && next.is_due) {
        status = deliveries_merchants(connection, MERCHANTS_MAX, courier->arena, &due, &count);
        if (status == STATUS_OK) {
            load_refresh(courier->load, due, count);
        }
    }
    courier->ask_at = clock_monotonic() + (status == STATUS_OK ? next.ask_in : DATABASE_IS_AWAY);
    arena_reset(courier->arena);
    return status;
}

/* Releases what two database servers, written to at once, have left waiting for nothing. What it finds is due. */
static enum status sweep(struct courier *courier, struct connection *connection) {
    uint64_t released = 0;
    courier->sweep_at = clock_monotonic() + SWEEP_EVERY;
    enum status status = stuck_release(connection, RELEASED_AT_ONCE, courier->arena, &released);
    if (released > 0) {
        log_line(LOG_WARNING, "%llu notifications waited for nothing: they are sent now", (unsigned long long)released);
    }
    arena_reset(courier->arena);
    return status;
}

/* What is done with the database from time to time. */
static void look_around(struct courier *courier) {
    struct connection *connection;
    duration now = clock_monotonic();
    if (now < courier->ask_at && !run_beat_is_due(courier->run)) {
        return;
    }
    enum status status = pool_take(courier->run->pool, &connection);
    courier->asked = courier->asked || now >= courier->ask_at;
    if (status == STATUS_OK) {
        if (now >= courier->sweep_at) {
            status = sweep(courier, connection);
        }
        if (status == STATUS_OK && now >= courier->ask_at) {
            status = ask(courier, connection);
        }
        if (status == STATUS_OK && run_beat_is_due(courier->run)) {
            status = run_beat(courier->run, connection, load_in_flight(courier->load));
        }
        pool_give(courier->run->pool, connection);
    } else {
        courier->ask_at = now + DATABASE_IS_AWAY;
    }
    run_note(courier->run, status);
}

/* Claims for one merchant, so that what was claimed leaves before the next claim. False: there is nothing to claim
 * now. */
static bool start_some(struct courier *courier) {
    uint64_t most;
    bool first_only;
    struct merchant_load *merchant =
        outcomes_are_full(courier->outcomes) ? NULL : load_next(courier->load, &most, &first_only);
    return merchant != NULL && claim_and_send(courier, merchant, most, first_only);
}

static duration time_to_record(const struct courier *courier) {
    return outcomes_time_to_record(courier->outcomes, load_in_flight(courier->load) == 0);
}

/* Waits until a delivery ends, something else is to be done or wake_fd is readable, and takes in what has ended. */
static void wait_and_collect(struct courier *courier, duration longest, int wake_fd) {
    duration until_record = time_to_record(courier);
    void *tag;
    struct http_reply reply;
    http_crowd_wait(courier->crowd, until_record < longest ? until_record : longest, wake_fd);
    run_progress(courier->run);
    while (http_crowd_next(courier->crowd, &tag, &reply)) {
        struct sending *delivery = tag;
        delivery->answered = reply.error == HTTP_FINE && reply.status < 500 && reply.status != 429;
        load_ended(courier->load, delivery->merchant, delivery->answered);
        outcomes_add(courier->outcomes, delivery, &reply);
    }
}

/* False: what is to be recorded now could not be. */
static bool record(struct courier *courier) {
    if (outcomes_count(courier->outcomes) == 0 || time_to_record(courier) > 0) {
        return true;
    }
    courier->asked = false;
    enum status status = outcomes_record(courier->outcomes, courier->run, courier->sendings);
    run_note(courier->run, status);
    return status == STATUS_OK;
}

static bool has_something_in_hand(const struct courier *courier) {
    return load_in_flight(courier->load) > 0 || outcomes_count(courier->outcomes) > 0;
}

/* One round of a run that goes on. False: with --once, nothing is left to do, or nothing that can be done. */
static bool go_round(struct courier *courier) {
    bool once = courier->run->once;
    look_around(courier);
    run_report_sometimes(courier->run);
    bool started = start_some(courier);
    if (once && !started && !has_something_in_hand(courier)) {
        courier->ask_at = 0;
        return !courier->asked;
    }
    duration until_ask = courier->ask_at - clock_monotonic();
    wait_and_collect(courier, started || until_ask < 0 ? 0 : until_ask, courier->run->stop_event);
    return record(courier) || !once;
}

/* What is in flight is awaited and recorded, for a while. */
static void finish(struct courier *courier) {
    duration stop_at = clock_monotonic() + TIME_TO_STOP, left;
    while (has_something_in_hand(courier) && (left = stop_at - clock_monotonic()) > 0) {
        wait_and_collect(courier, left < SECOND ? left : SECOND, -1);
        record(courier);
    }
    if (has_something_in_hand(courier)) {
        log_line(LOG_WARNING,
                 "leaving with %llu notifications in flight and %zu outcomes not recorded; their leases end, then they "
                 "are taken up again",
                 (unsigned long long)load_in_flight(courier->load), outcomes_count(courier->outcomes));
    }
}

void deliver(struct run *run) {
    struct courier courier = {.run = run, .load = load_create(run->config), .arena = arena_create()};
    courier.sendings = sendings_create();
    courier.outcomes = outcomes_create(run->config);
    trust_tell(run->config);
    courier.crowd = http_crowd_create(&run->guard, run->config->dispatcher.in_flight, run->config->security.ca_file);
    while (!run_is_over(run) && go_round(&courier)) {
    }
    finish(&courier);
    outcomes_destroy(courier.outcomes);
    http_crowd_destroy(courier.crowd);
    sendings_destroy(courier.sendings);
    load_destroy(courier.load);
    arena_destroy(courier.arena);
}
