#include "unit.h"

#include "outbound/query/query_message.h"

/* The messages between a worker and recaudo-query, and malformed ones that both must reject. */

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static const struct query_message ASK = {.kind = QUERY_ASK,
                                         .query = {.merchant_id = 7,
                                                   .integration_id = 70,
                                                   .network_id = UINT64_MAX,
                                                   .reference = {"1234567890123456789012345", 25}},
                                         .request = {.url = {"https://merchant.example/query", 30},
                                                     .body = {"{\"reference\":1}", 15},
                                                     .headers = {{"Content-Type: application/json", 30}},
                                                     .header_count = 1,
                                                     .timeout = 5 * SECOND,
                                                     .reply_max = QUERY_BODY_MAX}};

START_TEST(a_query_arrives_as_it_was_sent) {
    struct query_message read;
    ck_assert(query_message_read(query_message_write(&ASK, arena), &read));
    ck_assert_int_eq(read.kind, QUERY_ASK);
    ck_assert_uint_eq(read.query.merchant_id, 7);
    ck_assert_uint_eq(read.query.integration_id, 70);
    ck_assert_uint_eq(read.query.network_id, UINT64_MAX);
    assert_text(read.query.reference, "1234567890123456789012345");
    assert_text(read.query.endpoint, "https://merchant.example/query");
    assert_text(read.request.url, "https://merchant.example/query");
    assert_text(read.request.body, "{\"reference\":1}");
    ck_assert_uint_eq(read.request.header_count, 1);
    assert_text(read.request.headers[0], "Content-Type: application/json");
    ck_assert_int_eq(read.request.timeout, 5 * SECOND);
    ck_assert_uint_eq(read.request.reply_max, QUERY_BODY_MAX);
}
END_TEST

START_TEST(an_end_arrives_as_it_was_sent) {
    const struct query_message end = {.kind = QUERY_END, .outcome = 42};
    struct query_message read;
    ck_assert(query_message_read(query_message_write(&end, arena), &read));
    ck_assert_int_eq(read.kind, QUERY_END);
    ck_assert_uint_eq(read.outcome, 42);
    ck_assert_uint_eq(read.request.header_count, 0);
}
END_TEST

static struct query_reply usual_reply(void) {
    return (struct query_reply){.kind = QUERY_ASKED,
                                .reply = {.error = HTTP_TIMEOUT,
                                          .status = 503,
                                          .body = TEXT("half"),
                                          .cut = true,
                                          .address = "2001:db8::1",
                                          .took = 123,
                                          .retry_after = 7 * SECOND},
                                .rests = true,
                                .outcome = 9,
                                .use = {1, 2, 3},
                                .reload_refused = true};
}

START_TEST(a_reply_arrives_as_it_was_sent) {
    const struct query_reply reply = usual_reply();
    struct query_reply read;
    ck_assert(query_reply_read(query_reply_write(&reply, arena), &read));
    ck_assert_int_eq(read.kind, QUERY_ASKED);
    ck_assert_int_eq(read.reply.error, HTTP_TIMEOUT);
    ck_assert_int_eq(read.reply.status, 503);
    assert_text(read.reply.body, "half");
    ck_assert(read.reply.cut && read.rests);
    ck_assert_str_eq(read.reply.address, "2001:db8::1");
    ck_assert_int_eq(read.reply.took, 123);
    ck_assert_int_eq(read.reply.retry_after, 7 * SECOND);
    ck_assert_uint_eq(read.outcome, 9);
    ck_assert_uint_eq(read.use.in_flight + 10 * read.use.sharing + 100 * read.use.resting, 321);
    ck_assert(read.reload_refused);
}
END_TEST

/* Tries each prefix, and one byte more. */
START_TEST(no_other_length_is_read) {
    const struct query_reply reply = usual_reply();
    const struct text packets[] = {query_message_write(&ASK, arena), query_reply_write(&reply, arena)};
    struct query_message message;
    struct query_reply read;
    for (size_t i = 0; i < COUNT_OF(packets); i++) {
        char *longer = arena_alloc(arena, packets[i].size + 1);
        memcpy(longer, packets[i].at, packets[i].size);
        for (size_t size = 0; size <= packets[i].size + 1; size++) {
            const struct text cut = {longer, size};
            bool whole = size == packets[i].size;
            ck_assert_int_eq(i == 0 ? query_message_read(cut, &message) : query_reply_read(cut, &read), whole);
        }
    }
}
END_TEST

static void assert_refused(const struct query_message *message) {
    struct query_message read;
    ck_assert(!query_message_read(query_message_write(message, arena), &read));
}

START_TEST(messages_that_cannot_be) {
    struct query_message message = ASK;
    message.query.reference = TEXT("12345678901234567890123456789012");
    assert_refused(&message);
    message = ASK;
    message.kind = (enum query_message_kind)(QUERY_USE + 1);
    assert_refused(&message);
    message = ASK;
    message.request.timeout = -1;
    assert_refused(&message);
    message.request.timeout = 0;
    assert_refused(&message);
    message.request.timeout = HOUR;
    assert_refused(&message);
    message = ASK;
    message.request.reply_max = QUERY_BODY_MAX + 1;
    assert_refused(&message);
}
END_TEST

static void assert_disbelieved(const struct query_reply *reply) {
    struct query_reply read;
    ck_assert(!query_reply_read(query_reply_write(reply, arena), &read));
}

START_TEST(replies_that_cannot_be) {
    static const char LONG[QUERY_BODY_MAX + 1];
    struct query_reply reply = usual_reply();
    reply.kind = (enum query_reply_kind)0;
    assert_disbelieved(&reply);
    reply = usual_reply();
    reply.reply.error = (enum http_error)(HTTP_TOO_LARGE + 1);
    assert_disbelieved(&reply);
    reply = usual_reply();
    reply.reply.status = 1000;
    assert_disbelieved(&reply);
    reply = usual_reply();
    reply.reply.took = -1;
    assert_disbelieved(&reply);
    reply = usual_reply();
    reply.reply.body = (struct text){LONG, sizeof LONG};
    assert_disbelieved(&reply);
    reply = usual_reply();
    memset(reply.reply.address, '1', sizeof reply.reply.address);
    assert_disbelieved(&reply);
    memcpy(reply.reply.address, "1\n2", sizeof "1\n2");
    assert_disbelieved(&reply);
}
END_TEST

START_TEST(another_layout_is_refused) {
    struct text packet = query_message_write(&ASK, arena);
    char *bytes = arena_alloc(arena, packet.size);
    struct query_message read;
    memcpy(bytes, packet.at, packet.size);
    bytes[0]++;
    ck_assert(!query_message_read((struct text){bytes, packet.size}, &read));
}
END_TEST

TCase *query_message_tests(void) {
    TCase *tests = unit_case("query_message");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_query_arrives_as_it_was_sent);
    tcase_add_test(tests, an_end_arrives_as_it_was_sent);
    tcase_add_test(tests, a_reply_arrives_as_it_was_sent);
    tcase_add_test(tests, no_other_length_is_read);
    tcase_add_test(tests, messages_that_cannot_be);
    tcase_add_test(tests, replies_that_cannot_be);
    tcase_add_test(tests, another_layout_is_refused);
    return tests;
}
