#include "dispatch/deliver/requested_tests.h"

#include "base/memory.h"
#include "outbound/notify.h"
#include "store/notification/endpoint_tests.h"

/* Room for one test. */
struct place {
    struct arena *arena;
    struct endpoint_test test;
    struct endpoint_outcome outcome;
    bool is_taken, has_ended;
};

struct requested_tests {
    struct task_run *run;
    struct place places[ENDPOINT_TESTS_AT_ONCE];
};

struct requested_tests *requested_tests_create(struct task_run *run) {
    struct requested_tests *tests = memory_zeroed(1, sizeof *tests);
    tests->run = run;
    for (size_t i = 0; i < COUNT_OF(tests->places); i++) {
        tests->places[i].arena = arena_create();
    }
    return tests;
}

void requested_tests_destroy(struct requested_tests *tests) {
    for (size_t i = 0; i < COUNT_OF(tests->places); i++) {
        arena_destroy(tests->places[i].arena);
    }
    free(tests);
}

/* False: the merchant's secret cannot be decrypted. */
static bool write_request(const struct requested_tests *tests, struct place *place, struct http_request *out) {
    const struct endpoint_test *test = &place->test;
    const struct notify_test message = {.url = test->url, .currency = test->currency, .digest = test->digest};
    struct secret_pair hash;
    if (!secret_pair_open(tests->run->vault, SECRET_OF_NOTIFICATIONS, test->merchant_name, &test->sealed_hash,
                          clock_monotonic(), &hash)) {
        return false;
    }
    *out = notify_test_request(&message, &hash, test->taken_at, tests->run->config->notification.timeout, place->arena);
    secret_pair_wipe(&hash);
    return true;
}

static void send_test(const struct requested_tests *tests, struct place *place, struct http_client *client) {
    struct http_request request;
    place->outcome = (struct endpoint_outcome){.merchant_id = place->test.merchant_id,
                                               .asked_at = place->test.asked_at,
                                               .url = place->test.url,
                                               .address = TEXT(""),
                                               .reason = "secret",
                                               .reply = TEXT("")};
    place->is_taken = true;
    place->has_ended = !write_request(tests, place, &request) || !http_client_start(client, &request, place);
}

static void free_place(struct place *place) {
    place->is_taken = place->has_ended = false;
    arena_reset(place->arena);
}

static enum status record_ended(struct requested_tests *tests, struct connection *connection) {
    enum status worst = STATUS_OK;
    for (size_t i = 0; i < COUNT_OF(tests->places) && !status_stops_all(worst); i++) {
        struct place *place = &tests->places[i];
        if (place->is_taken && place->has_ended) {
            enum status status = endpoint_tests_record(connection, &place->outcome);
            task_run_progress(tests->run);
            status = status == STATUS_CHANGED ? STATUS_OK : status; /* the user has requested another test since */
            if (status == STATUS_OK) {
                free_place(place);
            }
            worst = status_worse(worst, status);
        }
    }
    return worst;
}

static enum status take_requested(struct requested_tests *tests, struct connection *connection,
                                  struct http_client *client) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < COUNT_OF(tests->places) && status == STATUS_OK; i++) {
        struct place *place = &tests->places[i];
        if (!place->is_taken) {
            status = endpoint_tests_take(connection, place->arena, &place->test);
            task_run_progress(tests->run);
            if (status == STATUS_OK) {
                send_test(tests, place, client);
            } else {
                arena_reset(place->arena);
            }
        }
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status requested_tests_work(struct requested_tests *tests, struct connection *connection,
                                 struct http_client *client) {
    enum status status = record_ended(tests, connection);
    bool takes = client != NULL && !status_stops_all(status);
    return takes ? status_worse(status, take_requested(tests, connection, client)) : status;
}

bool requested_tests_end(struct requested_tests *tests, const void *tag, const struct http_reply *reply) {
    for (size_t i = 0; i < COUNT_OF(tests->places); i++) {
        struct place *place = &tests->places[i];
        if (tag == place) {
            place->outcome.took = reply->took;
            place->outcome.address = arena_copy(place->arena, text_of(reply->address));
            place->outcome.http_status = reply->status;
            place->outcome.reason = notify_judge(place->test.acknowledgement, reply).reason;
            place->outcome.reply = arena_copy(place->arena, reply->body);
            place->has_ended = true;
            return true;
        }
    }
    return false;
}

size_t requested_tests_in_hand(const struct requested_tests *tests) {
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(tests->places); i++) {
        count += tests->places[i].is_taken;
    }
    return count;
}
