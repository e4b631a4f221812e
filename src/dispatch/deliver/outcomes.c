#include "dispatch/deliver/outcomes.h"

#include "auth/secret.h"
#include "base/memory.h"
#include "dispatch/deliver/delivery_log.h"
#include "dispatch/deliver/endpoint_round.h"
#include "dispatch/deliver/kept.h"
#include "outbound/notify.h"
#include "store/notification/delivery_trial.h"
#include "store/operation/troubles.h"

/* Outcomes wait this long for others, so that a busy dispatcher records many in one transaction. */
#define WAIT_FOR_OTHERS (20 * MILLISECOND)

/* Time until the next try after a failure. It doubles with each try while the database answers and refuses. */
#define TRY_AGAIN         (200 * MILLISECOND)
#define TRY_AGAIN_LONGEST (30 * SECOND)

/* An outage or a lock that lasts as long counts as a refusal. */
#define FAILS_FOR_LONG (30 * SECOND)

/* How long outcomes wait whose rows others have locked, and how many of them are tried again before it is the others'
 * turn. */
#define TRY_LOCKED_AGAIN (5 * SECOND)
enum { LOCKED_AT_ONCE = 64 };

_Static_assert((size_t)NOTIFY_REPLY_MAX <= REPLY_KEPT_MAX, "what is read of a reply can be stored");

struct outcomes {
    const struct config *config;
    struct arena *arena;
    struct kept kept;
    duration locked_until;        /* when those that are locked are tried again */
    size_t locked_left;           /* since then: how many are still to be tried */
    duration pause, try_again_at; /* after a failure to record; pause 0: none */
    duration failing_since;       /* while there is a pause */
    bool database_takes;          /* it accepted the last outcomes, or the trial */
    bool told_refusal;            /* a refusal was logged since it last accepted outcomes */
};

struct outcomes *outcomes_create(const struct config *config) {
    struct outcomes *outcomes = memory_zeroed(1, sizeof *outcomes);
    outcomes->kept = kept_create(merchant_slots_outcomes(config));
    outcomes->config = config;
    outcomes->arena = arena_create();
    return outcomes;
}

void outcomes_destroy(struct outcomes *outcomes) {
    arena_destroy(outcomes->arena);
    kept_destroy(&outcomes->kept);
    free(outcomes);
}

/* Plans the next attempt if this one failed; sets outcome->exhausted if it was the last. */
static void plan_next_attempt(const struct outcomes *outcomes, struct delivery_outcome *outcome, duration retry_after) {
    uint32_t random = 0;
    (void)secret_random(&random, sizeof random);
    outcome->exhausted =
        !outcome->delivered && !schedule_delay(&outcomes->config->notification.schedule, outcome->number, random,
                                               retry_after, &outcome->next_in);
}

static void add_outcome(struct outcomes *outcomes, struct sending *sending, struct delivery_outcome outcome,
                        duration retry_after) {
    outcome.notification_id = sending->notification.id;
    outcome.merchant_id = sending->notification.merchant_id;
    outcome.number = sending->notification.attempts + 1;
    outcome.started_at = sending->started_at;
    outcome.url = sending->notification.url;
    memcpy(outcome.kept_under, sending->lease, LEASE_BYTES);
    plan_next_attempt(outcomes, &outcome, retry_after);
    kept_add(&outcomes->kept, sending, &outcome);
}

void outcomes_add(struct outcomes *outcomes, struct sending *sending, const struct http_reply *reply) {
    struct notify_verdict verdict = notify_judge(sending->notification.acknowledgement, reply);
    struct delivery_outcome outcome = {
        .took = reply->took,
        .address = arena_copy(sending->arena, text_of(reply->address)).at,
        .http_status = reply->status,
        .reason = verdict.reason,
        .problem = arena_copy(sending->arena, text_of(reply->problem)).at,
        .delivered = verdict.delivery == DELIVERED,
        .reply = arena_copy(sending->arena, reply->body),
    };
    add_outcome(outcomes, sending, outcome, verdict.retry_after);
}

void outcomes_add_unsent(struct outcomes *outcomes, struct sending *sending) {
    add_outcome(outcomes, sending, (struct delivery_outcome){.address = "", .reason = "secret"}, 0);
}

size_t outcomes_count(const struct outcomes *outcomes) {
    return outcomes->kept.count;
}

size_t outcomes_locked(const struct outcomes *outcomes) {
    return outcomes->kept.locked;
}

bool outcomes_hold_sending(const struct outcomes *outcomes) {
    return !outcomes->database_takes;
}

bool outcomes_are_untried(const struct outcomes *outcomes) {
    return !outcomes->database_takes && outcomes->pause == 0;
}

duration outcomes_time_to_record(const struct outcomes *outcomes, bool no_more) {
    duration now = clock_monotonic();
    if (outcomes->kept.count == 0 && outcomes->database_takes) {
        return outcomes->locked_left > 0 ? 0 : outcomes->kept.locked > 0 ? outcomes->locked_until - now : HOUR;
    }
    if (outcomes->pause > 0) {
        return outcomes->try_again_at - now;
    }
    return no_more || outcomes->kept.count == 0 || outcomes->kept.count >= OUTCOMES_AT_ONCE
               ? 0
               : outcomes->kept.first_at + WAIT_FOR_OTHERS - now;
}

/* Counts the outcomes and logs the failed ones. */
static void tell_done(const struct outcomes *outcomes, size_t count, struct done *done) {
    for (size_t i = 0; i < count; i++) {
        const struct delivery_outcome *outcome = &outcomes->kept.outcomes[i];
        done->delivered += outcome->delivered;
        done->exhausted += outcome->exhausted;
        done->to_be_tried_again += !outcome->delivered && !outcome->exhausted;
        delivery_log_attempt(outcomes->kept.sendings[i], outcome);
    }
}

/* Unlike an outage it does not end by itself within a moment. Unlike in status_is_refused, a full disk is one. */
static bool is_refusal(enum status status) {
    return status == STATUS_FAULT || status == STATUS_FULL;
}

/*
 * Logs a failure once, when it begins, and plans the next try. The pool logs that the database is unreachable, and each
 * try asks the pool whether it is back. Returns whether sending stops.
 */
static bool note_failed_round(struct outcomes *outcomes, enum status status) {
    duration now = clock_monotonic();
    bool refused = is_refusal(status);
    outcomes->failing_since = outcomes->pause == 0 ? now : outcomes->failing_since;
    bool stops = refused || now - outcomes->failing_since >= FAILS_FOR_LONG;
    if (outcomes->pause == 0 || (refused && !outcomes->told_refusal)) {
        delivery_log_unrecorded(outcomes->kept.count, refused, status);
    }
    outcomes->told_refusal = outcomes->told_refusal || refused;
    outcomes->database_takes = outcomes->database_takes && !stops;
    duration longer = refused ? 2 * outcomes->pause : TRY_AGAIN;
    outcomes->pause = longer < TRY_AGAIN ? TRY_AGAIN : longer < TRY_AGAIN_LONGEST ? longer : TRY_AGAIN_LONGEST;
    outcomes->try_again_at = now + outcomes->pause;
    return stops;
}

static void note_success(struct outcomes *outcomes) {
    if (outcomes->pause > 0) {
        log_line(LOG_INFO, "outcomes are recorded again");
        log_trouble_ended();
        outcomes->pause = 0;
    }
    outcomes->database_takes = true;
    outcomes->told_refusal = false;
}

/* An outcome is not kept any more. */
static void leave_share(const struct recorder *by, const struct sending *sending) {
    struct merchant_state *merchant = sending->merchant;
    merchant_slots_forget(by->merchants, merchant);
    if (merchant->told_share && merchant->locked == 0) {
        merchant->told_share = false;
        delivery_log_share_is_free(sending->notification.merchant_name);
    }
}

/*
 * Removes the first `count` outcomes, which are recorded. A later lease of the same notification is a new attempt. If
 * it was leased between the commit and its answer, it was added to the old sending and is not sent. Returns such
 * leases, to be given back.
 */
static struct leased *drop_recorded(struct outcomes *outcomes, const struct recorder *by, size_t count,
                                    size_t *leased_count) {
    struct leased *leased = arena_alloc(outcomes->arena, count * sizeof *leased);
    *leased_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct sending *sending = outcomes->kept.sendings[i];
        if (memcmp(sending->lease, outcomes->kept.outcomes[i].lease, LEASE_BYTES) != 0) {
            struct leased *again = &leased[(*leased_count)++];
            again->notification_id = sending->notification.id;
            memcpy(again->lease, sending->lease, LEASE_BYTES);
        }
        leave_share(by, sending);
        sendings_remove(by->sendings, sending);
    }
    kept_forget_first(&outcomes->kept, count);
    return leased;
}

/* Records the first `count` outcomes. Others may be appended while the database works. */
static enum status write_outcomes(struct outcomes *outcomes, const struct recorder *by, struct connection *connection,
                                  size_t count, bool only_free) {
    kept_take_leases(&outcomes->kept, count);
    struct recording recording = {by->run->dispatcher_id, outcomes->kept.outcomes, count, by->all_must_hold, only_free};
    enum status status = deliveries_record(connection, &recording, outcomes->arena);
    task_run_progress(by->run);
    if (status != STATUS_OK) {
        return status;
    }
    struct endpoint_round round = endpoint_round_gather(outcomes->kept.sendings, count, outcomes->arena);
    note_success(outcomes);
    tell_done(outcomes, count, &by->run->done);
    size_t again = 0;
    const struct leased *leased = drop_recorded(outcomes, by, count, &again);
    if (again > 0) {
        task_run_note(by->run, deliveries_release(connection, leased, again, outcomes->arena));
    }
    task_run_note(by->run, endpoint_round_note(&round, connection, outcomes->config, by->run));
    return STATUS_OK;
}

static enum status try_others(struct outcomes *outcomes, const struct recorder *by, struct connection *connection,
                              bool wholly) {
    struct delivery_trial trial = {.dispatcher_id = by->run->dispatcher_id, .wholly = wholly};
    enum status status = secret_random(trial.lease, sizeof trial.lease)
                             ? delivery_try(connection, &trial, outcomes->arena)
                             : STATUS_FAULT;
    task_run_progress(by->run);
    return status;
}

static enum status try_without_one(struct outcomes *outcomes, const struct recorder *by,
                                   struct connection *connection) {
    bool wholly = false;
    enum status status = troubles_was_noted(connection, TROUBLE_UNRECORDED, text_of(by->run->host), DAY, &wholly);
    status = status == STATUS_OK ? try_others(outcomes, by, connection, wholly) : status;
    if (status == STATUS_OK) {
        note_success(outcomes);
    }
    return status;
}

/* Notes what the first `count` outcomes, which are not recorded, show about endpoints. */
static void note_endpoints(struct outcomes *outcomes, const struct recorder *by, struct connection *connection,
                           size_t count, enum status why) {
    struct endpoint_round round = endpoint_round_gather(outcomes->kept.sendings, count, outcomes->arena);
    task_run_note(by->run, endpoint_round_note(&round, connection, outcomes->config, by->run));
    task_run_note(by->run, why);
}

/* Nothing more is sent to a merchant whose share of the outcomes is full: its locked ones are the cause. */
static void lock_first(struct outcomes *outcomes, const struct recorder *by) {
    const struct sending *sending = outcomes->kept.sendings[0];
    struct merchant_state *merchant = sending->merchant;
    kept_lock_first(&outcomes->kept);
    merchant->locked++;
    if (!merchant->told_share && merchant_slots_share_is_full(by->merchants, merchant)) {
        merchant->told_share = true;
        delivery_log_share_is_full(merchant, sending->notification.merchant_name);
    }
}

/* Records the first outcome, or lets it wait if others have locked its rows; its endpoint is then noted only now. */
static enum status record_first(struct outcomes *outcomes, const struct recorder *by, struct connection *connection) {
    enum status status = write_outcomes(outcomes, by, connection, 1, true);
    if (status != STATUS_AGAIN || connection_met_read_only(connection)) {
        return status;
    }
    note_endpoints(outcomes, by, connection, 1, status);
    outcomes->kept.sendings[0]->answered = outcomes->kept.sendings[0]->failed = false;
    if (outcomes->kept.locked == 0) {
        outcomes->locked_until = clock_monotonic() + TRY_LOCKED_AGAIN;
    }
    lock_first(outcomes, by);
    return STATUS_OK;
}

static bool locked_are_due(const struct outcomes *outcomes) {
    return outcomes->locked_left > 0 || (outcomes->kept.locked > 0 && clock_monotonic() >= outcomes->locked_until);
}

/* One that fails in another way is from then on the first of the others. */
static void record_locked(struct outcomes *outcomes, const struct recorder *by, struct connection *connection) {
    enum status status = STATUS_OK;
    size_t round = outcomes->locked_left > 0 ? outcomes->locked_left : outcomes->kept.locked;
    for (size_t i = 0; status == STATUS_OK && i < LOCKED_AT_ONCE && round > 0; i++, round--) {
        kept_unlock_first(&outcomes->kept);
        outcomes->kept.sendings[0]->merchant->locked--;
        status = record_first(outcomes, by, connection);
    }
    outcomes->locked_left = round;
    outcomes->locked_until = clock_monotonic() + TRY_LOCKED_AGAIN;
}

/*
 * Drops outcomes that the database refuses, and notes what they show about endpoints. Their sendings stay in hand, so
 * that this process does not send them again when their leases expire.
 */
static void set_aside(struct outcomes *outcomes, const struct recorder *by, struct connection *connection,
                      size_t count) {
    note_endpoints(outcomes, by, connection, count, STATUS_FAULT);
    delivery_log_refused(outcomes->kept.outcomes, count);
    for (size_t i = 0; i < count; i++) {
        leave_share(by, outcomes->kept.sendings[i]);
    }
    kept_forget_first(&outcomes->kept, count);
}

/*
 * Records the first `count` outcomes one by one, after that failed together. Those wait that others have locked. If
 * each is refused, keeps all of them.
 */
static enum status record_singly(struct outcomes *outcomes, const struct recorder *by, struct connection *connection,
                                 size_t count) {
    size_t refused = 0;
    for (size_t i = 0, left = count; i < count; i++) {
        enum status status = record_first(outcomes, by, connection);
        if (status != STATUS_OK && !is_refusal(status)) {
            return status;
        }
        if (status == STATUS_OK) {
            left--;
        } else {
            kept_put_first_behind(&outcomes->kept, left);
            refused++;
        }
    }
    if (refused == count && count > 1) {
        return STATUS_FAULT;
    }
    if (refused > 0) {
        set_aside(outcomes, by, connection, refused);
    }
    note_success(outcomes);
    return STATUS_OK;
}

/* Where some are locked already, the first of them has been waited for. */
static enum status record_or_try(struct outcomes *outcomes, const struct recorder *by, struct connection *connection) {
    size_t count = kept_at_once(&outcomes->kept);
    if (count == 0) {
        return outcomes->database_takes ? STATUS_OK : try_without_one(outcomes, by, connection);
    }
    enum status status = write_outcomes(outcomes, by, connection, count, outcomes->kept.locked > 0);
    bool may_be_some = is_refusal(status) || status == STATUS_AGAIN;
    if (may_be_some && try_others(outcomes, by, connection, true) == STATUS_OK) {
        status = record_singly(outcomes, by, connection, count);
    }
    return status;
}

/* With a connection of its own: a lock on a table has cost the other one. It is noted again at the next try. */
static void note_unrecorded(const struct recorder *by) {
    struct connection *connection;
    if (pool_take(by->run->pool, &connection) == STATUS_OK) {
        (void)troubles_note(connection, TROUBLE_UNRECORDED, text_of(by->run->host));
        pool_give(by->run->pool, connection);
    }
}

enum status outcomes_record(struct outcomes *outcomes, const struct recorder *by) {
    struct connection *connection;
    bool locked = locked_are_due(outcomes);
    if (outcomes->kept.count == 0 && outcomes->database_takes && !locked) {
        return STATUS_OK;
    }
    enum status status = pool_take(by->run->pool, &connection);
    if (status == STATUS_OK) {
        if (locked) {
            record_locked(outcomes, by, connection);
        }
        status = record_or_try(outcomes, by, connection);
        pool_give(by->run->pool, connection);
    } else if (locked) {
        outcomes->locked_left = 0;
        outcomes->locked_until = clock_monotonic() + TRY_LOCKED_AGAIN;
    }
    arena_reset(outcomes->arena);
    bool waits = outcomes->kept.count > 0 || !outcomes->database_takes;
    if (waits && status != STATUS_OK && status != STATUS_CHANGED && note_failed_round(outcomes, status)) {
        note_unrecorded(by);
    }
    return status;
}
