#include "store.h"

#include "api/worker/attempts.h"
#include "linked_pool.h"

/* A scripted attempt: does nothing but return what the test set. */
struct script {
    enum status status; /* of each attempt before the last */
    int attempts_until_done;
    duration takes; /* time taken by each attempt */
    enum refusal refusal;
    int attempts;
};

static enum status act(struct call *call, struct connection *connection, void *of_script, enum refusal *refusal) {
    struct script *script = of_script;
    (void)call;
    ck_assert(connection_is_usable(connection));
    ck_assert_int_eq(*refusal, GRANTED);
    *refusal = script->refusal;
    for (duration until = clock_monotonic() + script->takes; clock_monotonic() < until;) {
    }
    return ++script->attempts == script->attempts_until_done ? STATUS_OK : script->status;
}

static enum refusal run(struct script *script, duration time) {
    struct service service = {.pool = linked_pool};
    struct call call = {.service = &service, .deadline = clock_monotonic() + time};
    return attempts_run(&call, act, script);
}

static const struct {
    enum status status; /* of every attempt */
    int attempts;
    enum refusal refusal;
} EXHAUSTED[] = {
    {STATUS_CHANGED, ATTEMPTS_MAX, REFUSED_TRY_AGAIN},
    {STATUS_CLASH, ATTEMPTS_MAX, REFUSED_TRY_AGAIN},
    {STATUS_AGAIN, ATTEMPTS_MAX, REFUSED_TRY_AGAIN},
    {STATUS_UNSURE, 1, REFUSED_TRY_AGAIN},
    {STATUS_AWAY, 1, REFUSED_TRY_AGAIN},
    {STATUS_LIMIT, 1, REFUSED_NETWORK_LIMIT},
    {STATUS_NONE, 1, REFUSED_PROCESSING_ERROR},
    {STATUS_FAULT, 1, REFUSED_PROCESSING_ERROR},
};

/* A race lost ten times ends with 0028, whichever status it was lost with. Other statuses are not retried. */
START_TEST(a_lost_race_ends_with_0028) {
    struct script script = {.status = EXHAUSTED[_i].status, .refusal = REFUSED_AMOUNT};
    ck_assert_int_eq(run(&script, MINUTE), EXHAUSTED[_i].refusal);
    ck_assert_int_eq(script.attempts, EXHAUSTED[_i].attempts);
}
END_TEST

START_TEST(the_attempt_that_is_done_answers) {
    struct script script = {.status = STATUS_CHANGED, .attempts_until_done = 3, .refusal = REFUSED_AMOUNT};
    ck_assert_int_eq(run(&script, MINUTE), REFUSED_AMOUNT);
    ck_assert_int_eq(script.attempts, 3);
}
END_TEST

START_TEST(no_attempt_begins_when_the_time_is_over) {
    struct script script = {.status = STATUS_CHANGED, .takes = SECOND / 10};
    ck_assert_int_eq(run(&script, SECOND / 20), REFUSED_TRY_AGAIN);
    ck_assert_int_eq(script.attempts, 1);
}
END_TEST

TCase *attempts_tests(void) {
    TCase *tests = database_case("attempts");
    tcase_add_checked_fixture(tests, linked_pool_begin, linked_pool_end);
    tcase_add_loop_test(tests, a_lost_race_ends_with_0028, 0, COUNT_OF(EXHAUSTED));
    tcase_add_test(tests, the_attempt_that_is_done_answers);
    tcase_add_test(tests, no_attempt_begins_when_the_time_is_over);
    return tests;
}
