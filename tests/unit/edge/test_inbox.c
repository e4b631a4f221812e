#include "unit.h"

#include "edge/inbox.h"

enum { BODY = 16 * 1024, BEGIN = 1, ABORT = 2, PARAMS = 4, STDIN = 5 };

static struct inbox inbox;
static char request[400 * 1024];
static size_t request_size;

static void add_record(int type, size_t content, unsigned padding) {
    unsigned char head[8] = {
        1, (unsigned char)type, 0, 1, (unsigned char)(content >> 8), (unsigned char)content, (unsigned char)padding};
    memcpy(request + request_size, head, sizeof head);
    memset(request + request_size + sizeof head, 'x', content + padding);
    request_size += sizeof head + content + padding;
}

static void set_up(void) {
    inbox = (struct inbox){0};
    request_size = 0;
}

static void tear_down(void) {
    inbox_free(&inbox);
}

static void add_request(size_t body) {
    add_record(BEGIN, 8, 0);
    add_record(PARAMS, 700, 4);
    add_record(PARAMS, 0, 0);
    for (; body > 0; body -= body < 8000 ? body : 8000) {
        add_record(STDIN, body < 8000 ? body : 8000, 0);
    }
    add_record(STDIN, 0, 0);
}

START_TEST(a_request_is_whole_with_its_last_byte) {
    size_t size = 0;
    add_request(BODY);
    for (size_t i = 0; i < request_size; i++) {
        ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_PART);
        inbox_add(&inbox, request + i, 1);
    }
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_WHOLE);
    ck_assert_uint_eq(size, request_size);
    ck_assert_mem_eq(inbox.bytes, request, size);
}
END_TEST

START_TEST(what_follows_a_request_stays) {
    size_t size = 0, first;
    add_request(10);
    first = request_size;
    add_request(20);
    inbox_add(&inbox, request, request_size);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_WHOLE);
    ck_assert_uint_eq(size, first);
    inbox_take(&inbox, size);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_WHOLE);
    ck_assert_uint_eq(size, request_size - first);
    inbox_take(&inbox, size);
    ck_assert_ptr_null(inbox.bytes);
}
END_TEST

/* However much comes, the memory is bounded, and the body can be seen to be too large. */
START_TEST(a_body_that_is_too_large_is_left_out) {
    size_t size = 0;
    add_record(BEGIN, 8, 0);
    add_record(PARAMS, 0, 0);
    inbox_add(&inbox, request, request_size);
    request_size = 0;
    add_record(STDIN, 60000, 7);
    for (int i = 0; i < 1000; i++) {
        inbox_add(&inbox, request, request_size);
        ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_PART);
        ck_assert_uint_lt(inbox.size, 100000);
    }
    request_size = 0;
    add_record(STDIN, 0, 0);
    inbox_add(&inbox, request, request_size);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_WHOLE);
    ck_assert_uint_gt(size, BODY);
    ck_assert_uint_eq(size, inbox.size);
}
END_TEST

START_TEST(large_parameters_are_bounded) {
    size_t size = 0;
    enum inbox_state state = INBOX_PART;
    add_record(PARAMS, 65000, 0);
    for (int i = 0; i < 9 && state == INBOX_PART; i++) {
        inbox_add(&inbox, request, request_size);
        state = inbox_look(&inbox, BODY, &size);
        ck_assert(state == (i < 8 ? INBOX_PART : INBOX_BROKEN));
    }
    ck_assert_int_eq(state, INBOX_BROKEN);
}
END_TEST

static const struct {
    unsigned char head[8];
} BROKEN[] = {{{0, BEGIN, 0, 1}}, {{2, BEGIN, 0, 1}}, {{'G', 'E', 'T', ' '}}, {{1, ABORT, 0, 1}}, {{1, 9, 0, 0}}};

START_TEST(what_is_no_request_is_broken) {
    size_t size = 0;
    inbox_add(&inbox, (const char *)BROKEN[_i].head, sizeof BROKEN[_i].head);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_BROKEN);
}
END_TEST

TCase *inbox_tests(void) {
    TCase *tests = unit_case("inbox");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_request_is_whole_with_its_last_byte);
    tcase_add_test(tests, what_follows_a_request_stays);
    tcase_add_test(tests, a_body_that_is_too_large_is_left_out);
    tcase_add_test(tests, large_parameters_are_bounded);
    tcase_add_loop_test(tests, what_is_no_request_is_broken, 0, COUNT_OF(BROKEN));
    return tests;
}
