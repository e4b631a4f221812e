#include "unit.h"

#include "domain/notification/delivery.h"

static const struct {
    const char *body;
    bool acknowledges;
} BODIES[] = {
    {"OK", true},
    {"ok", true},
    {"Ok", true},
    {"oK\n", true},
    {" \t\r\n\v\fOK", true},
    {"\xEF\xBB\xBFOK", true},
    {"\xEF\xBB\xBF\r\nOK", true},
    {"OK. order delivered", true},
    {"OK, thanks", true},
    {"OK - 17", true},
    {"OK\tdone", true},
    {"OK\nERROR", true},
    {"OK!", true},
    {"OK:1", true},
    {"OK\xE2\x80\xA6", true},
    {"OKAY", false},
    {"okay", false},
    {"OK1", false},
    {"OKz", false},
    {"O", false},
    {"", false},
    {" ", false},
    {"\xEF\xBB\xBF", false},
    {"\xEF\xBB", false},
    {"\x0eOK", false}, /* no white space */
    {"O K", false},
    {"0K", false},
    {"ERROR", false},
    {"ERROR. not OK", false},
    {"NOT OK", false},
    {"\"OK\"", false},
    {"<html>OK</html>", false},
    {"{}", false},
};

START_TEST(a_body_that_begins_with_ok_acknowledges) {
    enum delivery expected = BODIES[_i].acknowledges ? DELIVERED : TRY_LATER;
    struct text body = text_of(BODIES[_i].body);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 200, body, REPLY_SAYS_NOTHING), expected);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 500, body, REPLY_SAYS_NOTHING), TRY_LATER);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_ANY_2XX, 200, body, REPLY_SAYS_NOTHING), DELIVERED);
}
END_TEST

START_TEST(what_follows_the_body_is_not_read) {
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 200, (struct text){"OK", 1}, REPLY_SAYS_NOTHING), TRY_LATER);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 200, (struct text){"OKAY", 2}, REPLY_SAYS_NOTHING), DELIVERED);
}
END_TEST

START_TEST(a_nul_after_ok_is_no_letter) {
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 200, (struct text){"OK\0A", 4}, REPLY_SAYS_NOTHING), DELIVERED);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 200, (struct text){"\0OK", 3}, REPLY_SAYS_NOTHING), TRY_LATER);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 200, (struct text){NULL, 0}, REPLY_SAYS_NOTHING), TRY_LATER);
}
END_TEST

static const struct {
    int status;
    bool is_2xx;
} STATUSES[] = {{200, true},  {201, true},  {202, true},  {204, true},  {299, true},  {0, false},   {100, false},
                {199, false}, {300, false}, {301, false}, {304, false}, {307, false}, {400, false}, {404, false},
                {410, false}, {429, false}, {500, false}, {503, false}, {599, false}, {999, false}, {-200, false}};

START_TEST(only_2xx_acknowledges) {
    enum delivery expected = STATUSES[_i].is_2xx ? DELIVERED : TRY_LATER;
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, STATUSES[_i].status, TEXT("OK"), REPLY_SAYS_NOTHING), expected);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, STATUSES[_i].status, TEXT("{}"), REPLY_SAYS_OK), expected);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_ANY_2XX, STATUSES[_i].status, TEXT("ERROR"), REPLY_SAYS_NOTHING),
                     expected);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_ANY_2XX, STATUSES[_i].status, TEXT(""), REPLY_SAYS_NOTHING), expected);
}
END_TEST

START_TEST(error_acknowledges_under_no_rule) {
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_STRICT, 200, TEXT("OK"), REPLY_SAYS_ERROR), TRY_LATER);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_ANY_2XX, 200, TEXT("OK"), REPLY_SAYS_ERROR), TRY_LATER);
    ck_assert_int_eq(delivery_judge(ACKNOWLEDGE_ANY_2XX, 204, TEXT(""), REPLY_SAYS_ERROR), TRY_LATER);
}
END_TEST

static const struct schedule STANDARD = {
    {10 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, DAY, DAY}, 11};

START_TEST(twelve_attempts_and_then_none) {
    duration delay, total = 0;
    for (uint64_t made = 1; made <= 11; made++) {
        ck_assert_msg(schedule_delay(&STANDARD, made, 0, 0, &delay), "after %d", (int)made);
        ck_assert_int_eq(delay, STANDARD.delays[made - 1]);
        total += delay;
    }
    ck_assert_int_eq(total, 94 * HOUR + 21 * MINUTE + 10 * SECOND);
    ck_assert(!schedule_delay(&STANDARD, 12, 0, 0, &delay));
    ck_assert(!schedule_delay(&STANDARD, 13, 0, 0, &delay));
    ck_assert(!schedule_delay(&STANDARD, UINT64_MAX, 0, DAY, &delay));
}
END_TEST

START_TEST(the_first_attempt_waits_for_nothing) {
    duration delay = 77;
    ck_assert(schedule_delay(&STANDARD, 0, UINT32_MAX, 0, &delay));
    ck_assert_int_eq(delay, 0);
}
END_TEST

START_TEST(jitter_adds_up_to_a_tenth_and_never_takes) {
    uint32_t random = 1;
    duration least = INT64_MAX, most = 0, delay;
    for (int i = 0; i < 200000; i++) {
        random = random * 1664525U + 1013904223U;
        uint64_t made = 1 + (uint64_t)i % STANDARD.count;
        ck_assert(schedule_delay(&STANDARD, made, random >> 7, 0, &delay));
        duration base = STANDARD.delays[made - 1];
        ck_assert_int_ge(delay, base);
        ck_assert_int_le(delay, base + base / 10);
        duration share = (delay - base) * 1000 / base;
        least = share < least ? share : least;
        most = share > most ? share : most;
    }
    ck_assert_int_eq(least, 0);
    ck_assert_int_ge(most, 99);
}
END_TEST

START_TEST(jitter_at_its_ends) {
    static const uint32_t ENDS[] = {0, 1, 10000, 10001, UINT32_MAX - 1, UINT32_MAX};
    const struct schedule longest = {{31 * DAY}, 1};
    duration delay;
    for (size_t i = 0; i < COUNT_OF(ENDS); i++) {
        ck_assert(schedule_delay(&longest, 1, ENDS[i], 0, &delay));
        ck_assert_int_ge(delay, 31 * DAY);
        ck_assert_int_le(delay, 31 * DAY + 31 * DAY / 10);
    }
    ck_assert(schedule_delay(&longest, 1, 10000, 0, &delay));
    ck_assert_int_eq(delay, 31 * DAY + 31 * DAY / 10);
}
END_TEST

static const struct {
    duration retry_after, expected;
} RETRY_AFTER[] = {{0, 10 * SECOND},
                   {1, 10 * SECOND},
                   {SECOND, 10 * SECOND},
                   {10 * SECOND, 10 * SECOND},
                   {10 * SECOND + 1, 10 * SECOND + 1},
                   {HOUR, HOUR},
                   {DAY, DAY},
                   {DAY + 1, DAY},
                   {INT64_MAX, DAY},
                   {-1, 10 * SECOND},
                   {INT64_MIN, 10 * SECOND}};

START_TEST(retry_after_only_delays) {
    duration delay;
    ck_assert(schedule_delay(&STANDARD, 1, 0, RETRY_AFTER[_i].retry_after, &delay));
    ck_assert_int_eq(delay, RETRY_AFTER[_i].expected);
    ck_assert(schedule_delay(&STANDARD, 1, 10000, RETRY_AFTER[_i].retry_after, &delay));
    ck_assert_int_eq(delay, RETRY_AFTER[_i].expected + RETRY_AFTER[_i].expected / 10);
    ck_assert(!schedule_delay(&STANDARD, 12, 0, RETRY_AFTER[_i].retry_after, &delay));
}
END_TEST

static const char *const STATES[] = {"unaddressed", "waiting", "pending", "delivered", "exhausted"};

START_TEST(states_have_names) {
    enum notification_state state;
    ck_assert_str_eq(notification_state_name((enum notification_state)_i), STATES[_i]);
    ck_assert(notification_state_parse(text_of(STATES[_i]), &state) && (int)state == _i);
    ck_assert(!notification_state_parse(TEXT(""), &state) && !notification_state_parse(TEXT("sent"), &state));
}
END_TEST

TCase *delivery_tests(void) {
    TCase *tests = unit_case("delivery");
    add_table_test(tests, a_body_that_begins_with_ok_acknowledges, BODIES);
    tcase_add_test(tests, what_follows_the_body_is_not_read);
    tcase_add_test(tests, a_nul_after_ok_is_no_letter);
    add_table_test(tests, only_2xx_acknowledges, STATUSES);
    tcase_add_test(tests, error_acknowledges_under_no_rule);
    tcase_add_test(tests, twelve_attempts_and_then_none);
    tcase_add_test(tests, the_first_attempt_waits_for_nothing);
    tcase_add_test(tests, jitter_adds_up_to_a_tenth_and_never_takes);
    tcase_add_test(tests, jitter_at_its_ends);
    add_table_test(tests, retry_after_only_delays, RETRY_AFTER);
    add_table_test(tests, states_have_names, STATES);
    return tests;
}
