#include "dispatch/deliver/send.h"

#include "outbound/notify.h"

enum { NAME_SIZE = 256 };

duration send_time_to_record(const struct deliverer *deliverer) {
    bool no_more =
        merchant_slots_in_flight(deliverer->merchants) == 0 && merchant_slots_waiting(deliverer->merchants) == 0;
    return outcomes_time_to_record(deliverer->outcomes, no_more);
}

/* False: the merchant's secret cannot be decrypted. A failed attempt is then recorded, so that operators see it. */
static bool prepare_request(const struct deliverer *deliverer, const struct sending *sending,
                            struct http_request *request) {
    const struct notification *notification = &sending->notification;
    struct secret_pair hash;
    if (!secret_pair_open(deliverer->run->vault, SECRET_OF_NOTIFICATIONS, notification->merchant_name,
                          &notification->sealed_hash, clock_monotonic(), &hash)) {
        char name[NAME_SIZE];
        log_line(LOG_ERROR, "the NOTIFICATION_HASH of merchant %s " SECRET_UNOPENED,
                 log_quote(notification->merchant_name, name, sizeof name));
        return false;
    }
    *request = notify_request(notification, &hash, sending->started_at, deliverer->run->config->notification.timeout,
                              sending->arena);
    secret_pair_wipe(&hash);
    return true;
}

static void send_one(struct deliverer *deliverer, struct sending *sending, duration now) {
    struct http_request request;
    sending->started_at = sending->lease_committed_at + (now - sending->lease_committed_mono);
    if (!prepare_request(deliverer, sending, &request) || !http_client_start(deliverer->client, &request, sending)) {
        sending->answered = false;
        sending->failed = true;
        merchant_slots_ended(deliverer->merchants, sending, 0, now);
        outcomes_add_unsent(deliverer->outcomes, sending);
    }
}

/* Returns whether it sent at least one. */
static bool send_to(struct deliverer *deliverer, struct merchant_state *merchant) {
    struct sending *sending;
    duration now = clock_monotonic();
    bool any = false;
    while (!outcomes_hold_sending(deliverer->outcomes) &&
           (sending = merchant_slots_take(deliverer->merchants, merchant, now)) != NULL) {
        send_one(deliverer, sending, now);
        any = true;
    }
    return any;
}

static bool send_to_any(struct deliverer *deliverer) {
    struct sending *sending;
    duration now = clock_monotonic();
    bool any = false;
    while (!outcomes_hold_sending(deliverer->outcomes) &&
           (sending = merchant_slots_take_any(deliverer->merchants, now)) != NULL) {
        send_one(deliverer, sending, now);
        any = true;
    }
    return any;
}

/* Gives the slot to the merchant's next notification; if others are short of slots, go_on sends theirs. */
static void end_sending(struct deliverer *deliverer, struct sending *sending, const struct http_reply *reply) {
    sending->answered = reply->error == HTTP_FINE && !http_reply_is_failure(reply);
    sending->failed = !sending->answered && reply->error != HTTP_FILES;
    duration now = clock_monotonic();
    merchant_slots_ended(deliverer->merchants, sending, reply->took, now);
    outcomes_add(deliverer->outcomes, sending, reply);
    (void)send_to(deliverer, sending->merchant);
    if (merchant_slots_may_lease(deliverer->merchants, sending->merchant, now)) {
        task_wake_first(&deliverer->leader);
    }
}

static bool take_next_reply(struct deliverer *deliverer) {
    void *tag;
    struct http_reply reply;
    if (!http_client_next(deliverer->client, &tag, &reply)) {
        return false;
    }
    if (requested_tests_end(deliverer->tests, tag, &reply)) {
        deliverer->tests_ended = true;
        task_wake_first(&deliverer->leader);
    } else {
        end_sending(deliverer, tag, &reply);
    }
    return true;
}

/* Processes replies and sends, until there are no more: a request that cannot be sent has its reply at once. */
static void go_on(struct deliverer *deliverer, bool to_any) {
    do {
        while (take_next_reply(deliverer)) {
        }
    } while ((to_any || merchant_slots_are_short(deliverer->merchants)) && send_to_any(deliverer));
    if (merchant_slots_in_flight(deliverer->merchants) == 0) {
        task_wake_first(&deliverer->leader);
    }
    if (clock_monotonic() + send_time_to_record(deliverer) < deliverer->record_at) {
        task_wake_first(&deliverer->recorder);
    }
}

static void replies_came(void *of_deliverer) {
    go_on(of_deliverer, false);
}

void send_begin(struct deliverer *deliverer) {
    http_client_tell(deliverer->client, replies_came, deliverer);
}

void send_waiting(struct deliverer *deliverer) {
    go_on(deliverer, true);
}
