#include "outbound.h"

static const struct {
    const char *path;
    int status;
    const char *body;
} REPLIES[] = {
    {"/ok", 200, "OK"},
    {"/ok-and-close", 200, "OK"},
    {"/http10", 200, "OK. old"},
    {"/chunked", 200, "OK"},
    {"/continue", 200, "OK"},
    {"/created", 201, ""},
    {"/no-content", 204, ""},
    {"/json", 200, "{\"status\": \"OK\"}"},
    {"/error-200", 200, "ERROR. no room"},
    {"/error", 500, "ERROR"},
    {"/gone", 410, ""},
    {"/gzip", 200, "OK"},
    {"/unauthorized", 401, ""},
    {"/redirect", 302, ""},
    {"/redirect-308", 308, ""},
};

START_TEST(status_and_body) {
    struct http_reply reply = post_to(REPLIES[_i].path);
    ck_assert_str_eq(http_error_name(reply.error), "none");
    ck_assert_int_eq(reply.status, REPLIES[_i].status);
    assert_text(reply.body, REPLIES[_i].body);
    ck_assert(!reply.cut);
    ck_assert_str_eq(reply.address, "127.0.0.1");
    ck_assert_int_gt(reply.took, 0);
    ck_assert_int_eq(reply.retry_after, 0);
    ck_assert_uint_eq(stub_requests(stub), 1);
}
END_TEST

START_TEST(what_is_sent) {
    char expected[400];
    struct http_request request = request_to(url_of("/ok?a=b%20c#part"));
    request.headers[1] = TEXT("webhook-id: ntf_1");
    request.header_count = 2;
    struct http_reply reply;
    http_perform(client, &request, arena, &reply);
    snprintf(expected, sizeof expected,
             "POST /ok?a=b%%20c HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: recaudo/" PACKAGE_VERSION
             "\r\nAccept: */*\r\n"
             "Content-Type: application/json\r\nwebhook-id: ntf_1\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
             stub_port(stub));
    ck_assert_str_eq(stub_last_request(stub), expected);
}
END_TEST

START_TEST(an_empty_body) {
    struct http_request request = request_to(url_of("/ok"));
    struct http_reply reply;
    request.body = TEXT("");
    http_perform(client, &request, arena, &reply);
    ck_assert_int_eq(reply.status, 200);
    ck_assert_ptr_nonnull(strstr(stub_last_request(stub), "\r\nContent-Length: 0\r\n"));
}
END_TEST

START_TEST(a_large_body_is_sent_without_asking_first) {
    static char body[50 * 1024];
    struct http_request request = request_to(url_of("/ok"));
    struct http_reply reply;
    memset(body, 'b', sizeof body);
    request.body = (struct text){body, sizeof body};
    http_perform(client, &request, arena, &reply);
    ck_assert_int_eq(reply.status, 200);
    ck_assert_ptr_null(strstr(stub_last_request(stub), "Expect"));
    ck_assert_uint_eq(strlen(strstr(stub_last_request(stub), "\r\n\r\n")), 4 + sizeof body);
}
END_TEST

START_TEST(a_connection_is_used_again) {
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(post_to("/ok").status, 200);
    }
    ck_assert_uint_eq(stub_requests(stub), 20);
    ck_assert_uint_eq(stub_connections(stub), 1);
}
END_TEST

/* It would be taken for the next request's, and that one's for the one after it, on and on. */
START_TEST(a_second_reply_to_one_request_answers_no_other) {
    ck_assert_int_eq(post_to("/ok").status, 200);
    stub_send(stub, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond"));
    struct http_reply reply = post_to("/json");
    ck_assert_str_eq(http_error_name(reply.error), "none");
    assert_text(reply.body, "{\"status\": \"OK\"}");
    ck_assert_int_eq(post_to("/created").status, 201);
    ck_assert_uint_eq(stub_requests(stub), 3);
    ck_assert_uint_eq(stub_connections(stub), 2);
}
END_TEST

START_TEST(a_redirect_is_not_followed) {
    ck_assert_int_eq(post_to("/redirect").status, 302);
    ck_assert_int_eq(post_to("/redirect-308").status, 308);
    ck_assert_uint_eq(stub_requests(stub), 2);
}
END_TEST

static const struct {
    const char *path;
    size_t reply_max;
} LARGE[] = {{"/large", REPLY_MAX}, {"/large", 16 * 1024},   {"/large", 16 * 1024 + 1},
             {"/large", 64 * 1024}, {"/endless", REPLY_MAX}, {"/endless", 1},
             {"/json", 5}};

START_TEST(a_long_body_is_cut) {
    struct http_request request = request_to(url_of(LARGE[_i].path));
    struct http_reply reply;
    request.reply_max = LARGE[_i].reply_max;
    http_perform(client, &request, arena, &reply);
    ck_assert_str_eq(http_error_name(reply.error), "none");
    ck_assert_int_eq(reply.status, 200);
    ck_assert_uint_eq(reply.body.size, request.reply_max);
    ck_assert(reply.cut);
}
END_TEST

START_TEST(a_body_of_just_that_size_is_not_cut) {
    struct http_request request = request_to(url_of("/json"));
    struct http_reply reply;
    request.reply_max = 16;
    http_perform(client, &request, arena, &reply);
    assert_text(reply.body, "{\"status\": \"OK\"}");
    ck_assert(!reply.cut);
}
END_TEST

static const struct {
    const char *path;
    duration least, most;
} WAITS[] = {
    {"/wait-7", 7 * SECOND, 7 * SECOND},
    {"/wait-date", 85 * SECOND, 90 * SECOND},
    {"/wait-0", 0, 0},
    {"/wait-negative", 0, 0},
    {"/wait-nonsense", 0, 0},
    {"/wait-past", 0, 0},
    {"/wait-day", DAY, DAY},
    {"/wait-day-as-date", DAY - 5 * SECOND, DAY},
    {"/wait-lower-case", 7 * SECOND, 7 * SECOND},
    {"/wait-early", 0, 0},
    {"/wait-trailer", 0, 0},
    {"/wait-fraction", 0, 0},
    {"/wait-ages", 100 * 365 * DAY, INT64_MAX},
    {"/wait-though-fine", 7 * SECOND, 7 * SECOND},
};

START_TEST(retry_after) {
    struct http_reply reply = post_to(WAITS[_i].path);
    ck_assert_str_eq(http_error_name(reply.error), "none");
    ck_assert_int_ge(reply.retry_after, WAITS[_i].least);
    ck_assert_int_le(reply.retry_after, WAITS[_i].most);
}
END_TEST

START_TEST(nothing_stays_from_one_reply_to_the_next) {
    ck_assert_int_eq(post_to("/wait-7").retry_after, 7 * SECOND);
    ck_assert(post_to("/endless").cut);
    struct http_reply reply = post_to("/no-content");
    ck_assert_int_eq(reply.retry_after, 0);
    ck_assert(!reply.cut);
    assert_text(reply.body, "");
}
END_TEST

TCase *reply_tests(void) {
    TCase *tests = tests_named("reply");
    add_table_test(tests, status_and_body, REPLIES);
    tcase_add_test(tests, what_is_sent);
    tcase_add_test(tests, an_empty_body);
    tcase_add_test(tests, a_large_body_is_sent_without_asking_first);
    tcase_add_test(tests, a_connection_is_used_again);
    tcase_add_test(tests, a_second_reply_to_one_request_answers_no_other);
    tcase_add_test(tests, a_redirect_is_not_followed);
    add_table_test(tests, a_long_body_is_cut, LARGE);
    tcase_add_test(tests, a_body_of_just_that_size_is_not_cut);
    add_table_test(tests, retry_after, WAITS);
    tcase_add_test(tests, nothing_stays_from_one_reply_to_the_next);
    return tests;
}
