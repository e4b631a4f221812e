#include "outbound.h"

#include "names.h"

static const struct {
    const char *path;
    const char *error;
    int status;
    const char *body;
} BROKEN[] = {
    {"/close", "protocol", 0, ""},
    {"/close-in-headers", "protocol", 200, ""},
    {"/close-in-body", "protocol", 200, "OK"},
    {"/close-in-chunks", "protocol", 200, "OK"},
    {"/reset", "protocol", 0, ""},
    {"/broken-chunks", "protocol", 200, ""},
    {"/huge-chunk", "protocol", 200, ""},
    {"/bad-length", "protocol", 200, ""},
    {"/no-http", "protocol", 0, ""},
    {"/endless-headers", "too_large", 200, ""},
    {"/endless-continue", "too_large", 100, ""},
};

START_TEST(a_broken_reply_is_an_error) {
    struct http_reply reply = post_to(BROKEN[_i].path);
    ck_assert_str_eq(http_error_name(reply.error), BROKEN[_i].error);
    ck_assert_int_eq(reply.status, BROKEN[_i].status);
    assert_text(reply.body, BROKEN[_i].body);
    ck_assert_str_eq(reply.address, "127.0.0.1");
    ck_assert_uint_eq(stub_requests(stub), 1);
}
END_TEST

START_TEST(a_reset_in_the_body_is_an_error) {
    ck_assert_str_eq(http_error_name(post_to("/reset-in-body").error), "protocol");
}
END_TEST

START_TEST(a_header_line_without_end_is_an_error) {
    ck_assert_str_eq(http_error_name(post_to("/endless-line").error), "too_large");
}
END_TEST

static const char *const SLOW[] = {"/hang", "/hang-in-headers", "/hang-in-body", "/drip", "/drip-headers"};

START_TEST(one_budget_for_everything) {
    struct http_reply reply = post_within(url_of(SLOW[_i]), SECOND);
    ck_assert_str_eq(http_error_name(reply.error), "timeout");
    ck_assert_int_ge(reply.took, SECOND - 10 * MILLISECOND);
}
END_TEST

START_TEST(a_timeout_keeps_what_came) {
    struct http_reply reply = post_within(url_of("/hang-in-body"), SECOND);
    ck_assert_int_eq(reply.status, 200);
    assert_text(reply.body, "OK");
}
END_TEST

/* The name takes most of the budget, so that the reply has only the rest. */
START_TEST(the_budget_covers_the_look_up_too) {
    names_set("slow.test", NULL);
    struct http_reply reply = post_within(TEXT("http://slow.test/ok"), SECOND);
    ck_assert_str_eq(http_error_name(reply.error), "timeout");
    ck_assert_str_eq(reply.address, "");
    ck_assert_int_eq(reply.status, 0);
    names_release();
}
END_TEST

/* The first address takes half of the budget at most. */
START_TEST(an_address_that_does_not_answer_leaves_time_for_the_next) {
    stub_keep_silent_at(stub, "127.0.0.2");
    names_set("merchant.test", "127.0.0.2 127.0.0.1");
    struct http_reply reply =
        post_within(arena_print(arena, "http://merchant.test:%u/ok", stub_port(stub)), 4 * SECOND);
    ck_assert_str_eq(http_error_name(reply.error), "none");
    ck_assert_int_eq(reply.status, 200);
    ck_assert_str_eq(reply.address, "127.0.0.1");
}
END_TEST

START_TEST(a_slow_look_up_stops_nobody_else) {
    struct http_request slow = request_to(TEXT("http://slow.test/ok")), quick = request_to(url_of("/ok"));
    struct http_reply reply;
    void *tag;
    size_t replies = 0;
    slow.timeout = 200 * MILLISECOND;
    names_set("slow.test", NULL);
    duration start = clock_monotonic();
    ck_assert(http_client_start(client, &slow, &slow));
    while (replies < 50 || http_client_in_flight(client) > 0) {
        if (replies < 50 && http_client_in_flight(client) < 2) {
            ck_assert(http_client_start(client, &quick, &quick));
        }
        http_client_wait(client, SECOND, -1);
        while (http_client_next(client, &tag, &reply)) {
            ck_assert_str_eq(http_error_name(reply.error), tag == &slow ? "timeout" : "none");
            replies++;
        }
    }
    ck_assert_int_lt(clock_monotonic() - start, 20 * SECOND);
    names_release();
}
END_TEST

START_TEST(leaving_during_a_look_up_waits_for_nothing) {
    struct http_request slow = request_to(TEXT("http://slow.test/ok"));
    names_set("slow.test", NULL);
    ck_assert(http_client_start(client, &slow, NULL));
    http_client_wait(client, 50 * MILLISECOND, -1);
    duration start = clock_monotonic();
    http_client_destroy(client);
    client = NULL;
    ck_assert_int_lt(clock_monotonic() - start, 10 * SECOND);
    names_release();
}
END_TEST

START_TEST(a_name_without_address) {
    struct http_reply reply = post(TEXT("http://nowhere.invalid/ok"));
    ck_assert_str_eq(http_error_name(reply.error), "dns");
    ck_assert_str_eq(reply.address, "");
    ck_assert_int_eq(reply.status, 0);
}
END_TEST

START_TEST(nobody_listens) {
    struct http_reply reply = post(arena_print(arena, "http://127.0.0.1:%u/", stub_closed_port()));
    ck_assert_str_eq(http_error_name(reply.error), "connect");
    ck_assert_str_eq(reply.address, "127.0.0.1");
}
END_TEST

/* The server reads the request on a connection that was used before, and closes it without a word: whether it acted is
 * not known. */
START_TEST(what_was_sent_is_not_sent_again) {
    ck_assert_int_eq(post_to("/ok").status, 200);
    struct http_reply reply = post_to("/close");
    ck_assert_str_eq(http_error_name(reply.error), "protocol");
    ck_assert_uint_eq(stub_requests(stub), 2);
    ck_assert_int_eq(post_to("/ok").status, 200);
}
END_TEST

START_TEST(a_connection_closed_meanwhile_is_replaced) {
    for (size_t i = 1; i <= 10; i++) {
        ck_assert_int_eq(post_to("/ok-and-vanish").status, 200);
        stub_await_closed(stub, i);
    }
    ck_assert_uint_eq(stub_requests(stub), 10);
}
END_TEST

TCase *failure_tests(void) {
    TCase *tests = tests_named("failure");
    add_table_test(tests, a_broken_reply_is_an_error, BROKEN);
    tcase_add_test(tests, a_reset_in_the_body_is_an_error);
    tcase_add_test(tests, a_header_line_without_end_is_an_error);
    add_table_test(tests, one_budget_for_everything, SLOW);
    tcase_add_test(tests, a_timeout_keeps_what_came);
    tcase_add_test(tests, the_budget_covers_the_look_up_too);
    tcase_add_test(tests, an_address_that_does_not_answer_leaves_time_for_the_next);
    tcase_add_test(tests, a_slow_look_up_stops_nobody_else);
    tcase_add_test(tests, leaving_during_a_look_up_waits_for_nothing);
    tcase_add_test(tests, a_name_without_address);
    tcase_add_test(tests, nobody_listens);
    tcase_add_test(tests, what_was_sent_is_not_sent_again);
    tcase_add_test(tests, a_connection_closed_meanwhile_is_replaced);
    return tests;
}
