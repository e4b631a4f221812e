#include "dispatch/deliver/delivery_log.h"

#include <inttypes.h>

enum { NAME_SIZE = 256, WHY_SIZE = 300 };

static const char *print_why(const struct delivery_outcome *outcome, char why[WHY_SIZE]) {
    char quoted[WHY_SIZE - 16];
    if (outcome->problem != NULL && outcome->problem[0] != '\0') {
        snprintf(why, WHY_SIZE, "%s: %s", outcome->reason, log_quote(text_of(outcome->problem), quoted, sizeof quoted));
    } else if (outcome->http_status == 0) {
        snprintf(why, WHY_SIZE, "%s", outcome->reason);
    } else {
        snprintf(why, WHY_SIZE, "%s, HTTP %d", outcome->reason, outcome->http_status);
    }
    return why;
}

void delivery_log_attempt(const struct sending *delivery, const struct delivery_outcome *outcome) {
    char name[NAME_SIZE], why[WHY_SIZE];
    if (outcome->delivered) {
        return;
    }
    log_quote(delivery->notification.merchant_name, name, sizeof name);
    if (outcome->exhausted) {
        log_line(LOG_WARNING,
                 "notification %" PRIu64 " of merchant %s: attempt %" PRIu64
                 " failed (%s), and no other follows: recaudoctl notification retry %" PRIu64,
                 outcome->notification_id, name, outcome->number, print_why(outcome, why), outcome->notification_id);
    } else {
        log_line(LOG_INFO,
                 "notification %" PRIu64 " of merchant %s: attempt %" PRIu64
                 " failed (%s); the next one is due in %lld s",
                 outcome->notification_id, name, outcome->number, print_why(outcome, why),
                 (long long)(outcome->next_in / SECOND));
    }
}

/* The same computation as in the database (store/notification/endpoints.c). */
static duration rest_after(uint64_t failures, const struct rest_rule *rule) {
    duration rest = rule->first;
    for (uint64_t i = rule->after; i < failures && rest < rule->longest; i++) {
        rest *= 2;
    }
    return rest < rule->longest ? rest : rule->longest;
}

void delivery_log_failure(const struct merchant_state *merchant, struct text name, const struct rest_rule *rule) {
    char quoted[NAME_SIZE];
    uint64_t failures = merchant->failures + 1;
    bool begins = failures == rule->after, goes_on = failures > rule->after && merchant->recovers;
    if (begins || goes_on) {
        log_line(begins ? LOG_WARNING : LOG_INFO,
                 "the endpoint of merchant %s %s for %lld s, after %" PRIu64
                 " failures in a row; then one notification tries it",
                 log_quote(name, quoted, sizeof quoted), begins ? "rests" : "rests again",
                 (long long)(rest_after(failures, rule) / SECOND), failures);
    }
}

void delivery_log_answer(const struct merchant_state *merchant, struct text name, const struct rest_rule *rule) {
    char quoted[NAME_SIZE];
    if (merchant->failures >= rule->after) {
        log_line(LOG_INFO, "the endpoint of merchant %s answers again, after %" PRIu64 " failures; it no longer rests",
                 log_quote(name, quoted, sizeof quoted), merchant->failures);
    }
}

void delivery_log_end_of_rest(const struct due_merchant *merchant) {
    char quoted[NAME_SIZE];
    log_line(LOG_INFO,
             "the endpoint of merchant %s no longer rests: it has another URL, its notifications are retried, or "
             "another dispatcher was answered",
             log_quote(merchant->name, quoted, sizeof quoted));
}

void delivery_log_unrecorded(size_t count, bool refused, enum status status) {
    if (refused && count == 0) {
        log_line(LOG_ERROR,
                 "outcomes cannot be recorded: the database refuses them; no notification is sent until it takes them");
    } else if (refused) {
        log_line(LOG_ERROR,
                 "%zu outcomes are not recorded: the database refuses them; they are kept and tried again, and no "
                 "notification is sent until it takes them",
                 count);
    } else if (count > 0) {
        log_line(
            LOG_ERROR,
            "%zu outcomes are not recorded: the database is away or busy; they are kept and tried again, and after "
            "half a minute no notification is sent until it takes them",
            count);
    } else if (status == STATUS_AGAIN) {
        log_line(LOG_ERROR, "whether outcomes can be recorded cannot be tried: the database is busy, or others hold "
                            "locks; no notification is sent until it can");
    }
}

void delivery_log_share_is_full(const struct merchant_state *merchant, struct text name) {
    char quoted[NAME_SIZE];
    log_line(
        LOG_WARNING,
        "%" PRIu64 " outcomes of merchant %s are not recorded, because another session has locked their rows; they "
        "are tried again every 5 s, and nothing more is sent to it until they are recorded: database.md (Locks and "
        "slow statements) says how to find that session",
        merchant->unrecorded, log_quote(name, quoted, sizeof quoted));
}

void delivery_log_share_is_free(struct text name) {
    char quoted[NAME_SIZE];
    log_line(LOG_INFO, "outcomes of merchant %s are no longer locked; notifications are sent to it again",
             log_quote(name, quoted, sizeof quoted));
}

void delivery_log_refused(const struct delivery_outcome *outcomes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        log_line(LOG_ERROR,
                 "the outcome of attempt %" PRIu64 " of notification %" PRIu64
                 " is not recorded: the database refuses it and takes others; this process does not send that "
                 "notification again, the next one does",
                 outcomes[i].number, outcomes[i].notification_id);
    }
}
