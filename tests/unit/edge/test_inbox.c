#include "unit.h"

#include "edge/inbox.h"

#include <time.h>

enum {
    BODY = 16 * 1024,
    BEGIN = 1,
    ABORT = 2,
    PARAMS = 4,
    STDIN = 5,
    HEAD_BYTES = 8,
    BEGIN_BYTES = 8,
    BEGIN_PADDING = 3
};

static struct inbox inbox;
static char request[400 * 1024];
static size_t request_size;

static void add_bytes(int type, const void *bytes, size_t content, unsigned padding) {
    unsigned char head[8] = {
        1, (unsigned char)type, 0, 1, (unsigned char)(content >> 8), (unsigned char)content, (unsigned char)padding};
    memcpy(request + request_size, head, sizeof head);
    memcpy(request + request_size + sizeof head, bytes, content);
    memset(request + request_size + sizeof head + content, 0xff, padding);
    request_size += sizeof head + content + padding;
}

static void add_record(int type, size_t content, unsigned padding) {
    static char bytes[65536];
    memset(bytes, 'x', sizeof bytes);
    add_bytes(type, bytes, content, padding);
}

static void add_begin(void) {
    static const char BEGINNING[8] = {0, 1};
    add_bytes(BEGIN, BEGINNING, sizeof BEGINNING, BEGIN_PADDING);
}

static void put_size(unsigned char *to, size_t size) {
    for (int i = 0; i < 4; i++) {
        to[i] = (unsigned char)(size >> (24 - 8 * i));
    }
    to[0] |= 0x80;
}

/* A parameter with a name of one byte; name, value and their sizes take `size` bytes together. */
static const unsigned char *parameter(size_t size) {
    static unsigned char bytes[65536];
    memset(bytes, 'x', sizeof bytes);
    bytes[0] = 1;
    put_size(bytes + 1, size - 6);
    return bytes;
}

static void set_up(void) {
    inbox = (struct inbox){0};
    request_size = 0;
}

static void tear_down(void) {
    inbox_free(&inbox);
}

static void add_request(size_t body) {
    add_begin();
    for (size_t at = 0; at < 700; at += 7) {
        add_bytes(PARAMS, parameter(700) + at, 7, (unsigned)(at % 5));
    }
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

/* Memory is bounded however much arrives, and the body is known to be too large. */
START_TEST(a_body_that_is_too_large_is_left_out) {
    size_t size = 0;
    add_begin();
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

/* The quickest of many: whatever else the machine does makes none quicker. */
static clock_t time_to_look(size_t body_max) {
    size_t size = 0;
    clock_t quickest = CLOCKS_PER_SEC;
    for (int i = 0; i < 40; i++) {
        clock_t began = clock();
        inbox_add(&inbox, request, request_size);
        ck_assert_int_eq(inbox_look(&inbox, body_max, &size), INBOX_PART);
        inbox_free(&inbox);
        clock_t took = clock() - began;
        quickest = took < quickest ? took : quickest;
    }
    return quickest;
}

/* Leaving out each record by itself would move the others that often. */
START_TEST(a_large_body_of_tiny_records_costs_no_more_than_another) {
    enum { TINY_RECORDS = 7000, NOISE = CLOCKS_PER_SEC / 1000 };
    add_begin();
    add_record(PARAMS, 0, 0);
    for (int i = 0; i < TINY_RECORDS; i++) {
        add_bytes(STDIN, "x", 1, 0);
    }
    clock_t kept = time_to_look(TINY_RECORDS);
    ck_assert_int_lt(time_to_look(0), 3 * kept + NOISE);
}
END_TEST

START_TEST(large_parameters_are_bounded) {
    size_t size = 0;
    enum inbox_state state = INBOX_PART;
    add_begin();
    inbox_add(&inbox, request, request_size);
    request_size = 0;
    add_bytes(PARAMS, parameter(65000), 65000, 0);
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
} BROKEN[] = {{{0, BEGIN, 0, 1, 0, 8}}, {{2, BEGIN, 0, 1, 0, 8}}, {{'G', 'E', 'T', ' '}},
              {{1, ABORT, 0, 1}},       {{1, 9, 0, 0}},           {{1, PARAMS, 0, 1}},
              {{1, STDIN, 0, 1}},       {{1, BEGIN, 0, 0, 0, 8}}, {{1, BEGIN, 0, 1, 0, 7}}};

START_TEST(what_is_no_request_is_broken) {
    size_t size = 0;
    inbox_add(&inbox, (const char *)BROKEN[_i].head, sizeof BROKEN[_i].head);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_BROKEN);
}
END_TEST

/* Records that libfcgi would answer in the middle of a request: a second begin, another request, unknown types. */
static const struct {
    unsigned char head[8];
} INSIDE[] = {{{1, BEGIN, 0, 1, 0, 8}}, {{1, BEGIN, 0, 2, 0, 8}}, {{1, PARAMS, 0, 2}}, {{1, ABORT, 0, 1}},
              {{1, 9, 0, 0}},           {{1, 11, 0, 1}},          {{1, STDIN, 0, 1}},  {{1, 8, 0, 1}}};

START_TEST(what_does_not_belong_to_the_request_is_broken) {
    size_t size = 0;
    add_begin();
    inbox_add(&inbox, request, request_size);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_PART);
    inbox_add(&inbox, (const char *)INSIDE[_i].head, sizeof INSIDE[_i].head);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_BROKEN);
}
END_TEST

START_TEST(parameters_after_the_body_has_begun_are_broken) {
    size_t size = 0;
    add_begin();
    add_record(PARAMS, 0, 0);
    add_record(PARAMS, 0, 0);
    inbox_add(&inbox, request, request_size);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_BROKEN);
}
END_TEST

static const char OTHER_ROLES[][8] = {{0, 2}, {0, 3}, {1, 1}};

START_TEST(another_role_is_broken) {
    size_t size = 0;
    add_bytes(BEGIN, OTHER_ROLES[_i], sizeof OTHER_ROLES[_i], 0);
    inbox_add(&inbox, request, request_size);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_BROKEN);
}
END_TEST

/* A web server may use any request id except 0. */
START_TEST(large_numbers_of_requests) {
    enum { HIGH_BYTE_OF_ID = 2 };
    size_t size = 0;
    add_begin();
    add_record(PARAMS, 0, 0);
    add_record(STDIN, 0, 0);
    for (size_t at = 0; at < request_size; at += at == 0 ? HEAD_BYTES + BEGIN_BYTES + BEGIN_PADDING : HEAD_BYTES) {
        memcpy(request + at + HIGH_BYTE_OF_ID, (const char[]){1, 0}, 2);
    }
    inbox_add(&inbox, request, request_size);
    ck_assert_int_eq(inbox_look(&inbox, BODY, &size), INBOX_WHOLE);
    ck_assert_uint_eq(size, request_size);
}
END_TEST

/* libfcgi would allocate up to 4 GB for names or values that claim to be longer than the data. */
static const struct {
    const char *bytes;
    size_t size;
    bool fit;
} PARAMETERS[] = {{"\1\1nv", 4, true},
                  {"\0\0", 2, true},
                  {"\1\1nv\2\0nn", 8, true},
                  {"\200\0\0\1\200\0\0\2nvv", 11, true},
                  {"\1", 1, false},
                  {"\1\1n", 3, false},
                  {"\1\1nvx", 5, false},
                  {"\377\377\377\377\377\377\377\377nv", 10, false},
                  {"\1\377\377\377\377nv", 7, false},
                  {"\377\377\377\377", 4, false},
                  {"\200\0", 2, false}};

START_TEST(parameters_are_as_long_as_they_say) {
    for (unsigned padding = 0; padding < 3; padding++) {
        size_t size = 0;
        request_size = 0;
        add_begin();
        for (size_t at = 0; at < PARAMETERS[_i].size; at++) {
            add_bytes(PARAMS, PARAMETERS[_i].bytes + at, 1, padding);
        }
        add_record(PARAMS, 0, padding);
        add_record(STDIN, 0, 0);
        inbox_add(&inbox, request, request_size);
        ck_assert_int_eq(inbox_look(&inbox, BODY, &size), PARAMETERS[_i].fit ? INBOX_WHOLE : INBOX_BROKEN);
        inbox_free(&inbox);
    }
}
END_TEST

TCase *inbox_tests(void) {
    TCase *tests = unit_case("inbox");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_request_is_whole_with_its_last_byte);
    tcase_add_test(tests, what_follows_a_request_stays);
    tcase_add_test(tests, a_body_that_is_too_large_is_left_out);
    tcase_add_test(tests, a_large_body_of_tiny_records_costs_no_more_than_another);
    tcase_add_test(tests, large_parameters_are_bounded);
    tcase_add_loop_test(tests, what_is_no_request_is_broken, 0, COUNT_OF(BROKEN));
    tcase_add_loop_test(tests, what_does_not_belong_to_the_request_is_broken, 0, COUNT_OF(INSIDE));
    tcase_add_test(tests, parameters_after_the_body_has_begun_are_broken);
    add_table_test(tests, another_role_is_broken, OTHER_ROLES);
    tcase_add_test(tests, large_numbers_of_requests);
    tcase_add_loop_test(tests, parameters_are_as_long_as_they_say, 0, COUNT_OF(PARAMETERS));
    return tests;
}
