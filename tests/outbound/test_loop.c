#include "outbound.h"

#include "base/loop/loop.h"
#include "names.h"

/* A client of a loop: the tasks that ask share it. */

static size_t running;
static bool all_done;

static void begin_loop(void) {
    ck_assert(loop_open());
    begin();
}

static void end_loop(void) {
    end();
    loop_close();
}

static void ask(void *of_path) {
    struct http_reply reply = post_to(of_path);
    ck_assert_int_eq(reply.status, 200);
    assert_text(reply.body, "OK");
    all_done = --running == 0;
}

static void start(size_t count, const char *path) {
    running += count;
    for (size_t i = 0; i < count; i++) {
        task_start(ask, (void *)(uintptr_t)path);
    }
}

static void run_all(void) {
    all_done = false;
    loop_run_until(&all_done);
}

START_TEST(tasks_wait_at_the_same_time) {
    stub_gather(stub, REQUESTS_MAX);
    start(REQUESTS_MAX, "/gather");
    run_all();
    ck_assert_uint_eq(stub_requests(stub), REQUESTS_MAX);
    ck_assert_uint_eq(http_client_in_flight(client), 0);
}
END_TEST

static void ask_often(void *unused) {
    (void)unused;
    for (int i = 0; i < 10; i++) {
        ck_assert_int_eq(post_to("/ok").status, 200);
    }
    all_done = --running == 0;
}

static void ask_after_a_second_reply(void *unused) {
    (void)unused;
    ck_assert_int_eq(post_to("/ok").status, 200);
    stub_send(stub, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"));
    ck_assert_int_eq(post_to("/created").status, 201);
    all_done = --running == 0;
}

START_TEST(a_second_reply_answers_no_other_task) {
    running = 1;
    task_start(ask_after_a_second_reply, NULL);
    run_all();
    ck_assert_uint_eq(stub_requests(stub), 2);
    ck_assert_uint_eq(stub_connections(stub), 2);
}
END_TEST

START_TEST(a_connection_is_used_again_by_tasks) {
    running = 1;
    task_start(ask_often, NULL);
    run_all();
    ck_assert_uint_eq(stub_connections(stub), 1);
}
END_TEST

static void ask_one_that_hangs(void *unused) {
    (void)unused;
    ck_assert_int_eq(post_within(url_of("/hang"), SECOND).error, HTTP_TIMEOUT);
    ck_assert_uint_eq(running, 1); /* the others are done */
    all_done = --running == 0;
}

START_TEST(one_that_hangs_keeps_nobody_waiting) {
    running = 1;
    task_start(ask_one_that_hangs, NULL);
    start(20, "/ok");
    run_all();
}
END_TEST

static void ask_nobody(void *unused) {
    (void)unused;
    ck_assert_int_eq(post(TEXT("ftp://127.0.0.1/")).error, HTTP_BAD_URL);
    ck_assert_int_eq(post(arena_print(arena, "http://127.0.0.1:%u/", stub_closed_port())).error, HTTP_CONNECT);
    ck_assert_int_eq(post(TEXT("http://nobody.invalid/")).error, HTTP_DNS);
    all_done = --running == 0;
}

START_TEST(failures_are_told_to_tasks) {
    running = 1;
    task_start(ask_nobody, NULL);
    run_all();
}
END_TEST

static void ask_at_the_second_address(void *unused) {
    (void)unused;
    struct http_reply reply =
        post_within(arena_print(arena, "http://merchant.test:%u/ok", stub_port(stub)), 4 * SECOND);
    ck_assert_str_eq(http_error_name(reply.error), "none");
    ck_assert_str_eq(reply.address, "127.0.0.1");
    all_done = --running == 0;
}

START_TEST(an_address_that_does_not_answer_leaves_time_for_the_next) {
    stub_keep_silent_at(stub, "127.0.0.2");
    names_set("merchant.test", "127.0.0.2 127.0.0.1");
    running = 1;
    task_start(ask_at_the_second_address, NULL);
    run_all();
}
END_TEST

TCase *loop_tests(void) {
    TCase *tests = tcase_create("loop");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, begin_loop, end_loop);
    tcase_add_test(tests, tasks_wait_at_the_same_time);
    tcase_add_test(tests, a_connection_is_used_again_by_tasks);
    tcase_add_test(tests, a_second_reply_answers_no_other_task);
    tcase_add_test(tests, one_that_hangs_keeps_nobody_waiting);
    tcase_add_test(tests, failures_are_told_to_tasks);
    tcase_add_test(tests, an_address_that_does_not_answer_leaves_time_for_the_next);
    return tests;
}
