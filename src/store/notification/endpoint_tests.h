/*
 * Tests of merchants' endpoints that users of the console ask for. Each is sent at most once. If the dispatcher that
 * took a test ends before it records the outcome, the test has none, and the user may ask again.
 */
#ifndef RECAUDO_STORE_NOTIFICATION_ENDPOINT_TESTS_H
#define RECAUDO_STORE_NOTIFICATION_ENDPOINT_TESTS_H

#include "base/arena.h"
#include "domain/notification/notification.h"
#include "store/db/connection.h"

/* A test that a dispatcher has taken. */
struct endpoint_test {
    uint64_t merchant_id;
    instant asked_at, taken_at;
    struct text merchant_name, url, currency;
    struct sealed_pair sealed_hash; /* NOTIFICATION_HASH, encrypted for the merchant's name */
    enum notification_digest digest;
    enum acknowledgement acknowledgement;
};

/* Takes the test that has waited longest, but none older than a minute. Texts lie in the arena. STATUS_NONE: there is
 * none, or another dispatcher has taken it. */
enum status endpoint_tests_take(struct connection *connection, struct arena *arena, struct endpoint_test *out);

struct endpoint_outcome {
    uint64_t merchant_id;
    instant asked_at; /* identifies the test */
    duration took;
    struct text url, address;
    int http_status;    /* 0: no reply */
    const char *reason; /* a value of attempts.reason */
    struct text reply;
};

/* STATUS_CHANGED: an outcome is recorded already, or a later test was asked for. */
enum status endpoint_tests_record(struct connection *connection, const struct endpoint_outcome *outcome);

#endif
