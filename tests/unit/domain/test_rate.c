#include "unit.h"

#include "domain/rate.h"

#define SECOND_NS UINT64_C(1000000000)
#define NOW       (7 * SECOND_NS)

/* One request at `now`; whole_at is the value before it, next the value after it. */
static const struct {
    const char *what;
    struct rate rate;
    uint64_t now, whole_at, wait, next;
} CASES[] = {
    {"the first ever", {1, 1}, NOW, 0, 0, NOW + SECOND_NS},
    {"the first at moment 0", {1, 1}, 0, 0, 0, SECOND_NS},
    {"long after the last", {1, 1}, NOW, NOW - 5 * SECOND_NS, 0, NOW + SECOND_NS},
    {"right when it is whole", {1, 1}, NOW, NOW, 0, NOW + SECOND_NS},
    {"1 ns too early", {1, 1}, NOW, NOW + 1, 1, 0},
    {"at once again", {1, 1}, NOW, NOW + SECOND_NS, SECOND_NS, 0},
    {"the last of a burst", {1, 3}, NOW, NOW + 2 * SECOND_NS, 0, NOW + 3 * SECOND_NS},
    {"1 ns before there is one", {1, 3}, NOW, NOW + 2 * SECOND_NS + 1, 1, 0},
    {"one more than the burst", {1, 3}, NOW, NOW + 3 * SECOND_NS, SECOND_NS, 0},
    {"of a greater burst", {1, 3}, NOW, NOW + 3 * SECOND_NS + 1, 0, NOW + 3 * SECOND_NS},
    {"before a restart of the machine", {10, 3}, NOW, NOW + 86400 * SECOND_NS, 0, NOW + 3 * SECOND_NS / 10},
    {"before a restart, no burst", {1, 1}, NOW, UINT64_MAX, 0, NOW + SECOND_NS},
    {"an interval that is no whole number", {3, 1}, NOW, 0, 0, NOW + 333333334},
    {"the fastest", {RATE_MOST, 1}, NOW, NOW, 0, NOW + 10000},
    {"the slowest with the greatest burst", {1, RATE_BURST_MOST}, NOW, 0, 0, NOW + SECOND_NS},
};

START_TEST(judges_one_request) {
    uint64_t next = 0;
    uint64_t wait = rate_judge(CASES[_i].rate, CASES[_i].now, CASES[_i].whole_at, &next);
    ck_assert_msg(wait == CASES[_i].wait && next == CASES[_i].next, "%s: %llu, %llu", CASES[_i].what,
                  (unsigned long long)wait, (unsigned long long)next);
}
END_TEST

/* Returns how many of `count` requests are admitted, with `apart` between them. */
static unsigned admitted(struct rate rate, unsigned count, uint64_t apart) {
    unsigned sum = 0;
    uint64_t whole_at = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += rate_judge(rate, NOW + i * apart, whole_at, &whole_at) == 0;
    }
    return sum;
}

static const struct {
    struct rate rate;
    unsigned count;
    uint64_t apart;
    unsigned admitted;
} ROWS[] = {
    {{5, 1}, 100, 0, 1},
    {{5, 20}, 100, 0, 20},
    {{5, 1}, 50, SECOND_NS / 10, 25},
    {{5, 10}, 100, SECOND_NS / 10, 59},
    {{10, 1}, 100, SECOND_NS / 10, 100},
    {{10, 1}, 100, SECOND_NS / 10 - 1, 50},
    {{1000, 1000}, 5000, SECOND_NS / 5000, 1999},
};

START_TEST(admits_the_burst_and_then_the_rate) {
    unsigned sum = admitted(ROWS[_i].rate, ROWS[_i].count, ROWS[_i].apart);
    ck_assert_msg(sum == ROWS[_i].admitted, "%u instead of %u", sum, ROWS[_i].admitted);
}
END_TEST

/* A caller who waits as long as told is admitted, and not earlier. */
START_TEST(says_how_long_to_wait) {
    const struct rate rate = {7, 4};
    uint64_t whole_at = 0, next;
    while (rate_judge(rate, NOW, whole_at, &whole_at) == 0) {
    }
    uint64_t wait = rate_judge(rate, NOW, whole_at, &next);
    ck_assert_uint_eq(rate_judge(rate, NOW + wait - 1, whole_at, &next), 1);
    ck_assert_uint_eq(rate_judge(rate, NOW + wait, whole_at, &next), 0);
}
END_TEST

TCase *rate_tests(void) {
    TCase *tests = unit_case("rate");
    add_table_test(tests, judges_one_request, CASES);
    add_table_test(tests, admits_the_burst_and_then_the_rate, ROWS);
    tcase_add_test(tests, says_how_long_to_wait);
    return tests;
}
