#include "unit.h"

#include "outbound/query/query_limiter.h"

#include <unistd.h>

enum { MERCHANT = 7, OTHER_MERCHANT = 8, ANSWER = 42 };

static const struct query_limits LIMITS = {.in_flight = 6,
                                           .in_flight_per_merchant = 4,
                                           .sharing = 3,
                                           .sharing_per_merchant = 2,
                                           .rest_after = 3,
                                           .rest = 50 * MILLISECOND};

static struct query_limiter *limiter;
static struct query_handle handle;

static void set_up(void) {
    limiter = query_limiter_create(&LIMITS);
}

static void tear_down(void) {
    query_limiter_destroy(limiter);
}

static struct limited_query query_of(uint64_t merchant, const char *reference) {
    return (struct limited_query){.merchant_id = merchant,
                                  .integration_id = merchant * 10,
                                  .network_id = 1,
                                  .reference = text_of(reference),
                                  .endpoint = TEXT("https://merchant.example/query")};
}

static enum limiter_decision enter(uint64_t merchant, const char *reference) {
    const struct limited_query query = query_of(merchant, reference);
    return query_limiter_enter(limiter, &query, &handle);
}

static void let_in(uint64_t merchant, const char *reference) {
    ck_assert_int_eq(enter(merchant, reference), LIMITER_ASK);
}

/* Runs one query from start to end. Returns the result of query_limiter_answered. */
static bool ask(const char *reference, bool failed) {
    let_in(MERCHANT, reference);
    bool rests = query_limiter_answered(limiter, &handle, failed);
    query_limiter_end(limiter, &handle, ANSWER);
    return rests;
}

/* Returns how many queries of new references the limiter lets in. They stay in flight. */
static unsigned count_free(uint64_t merchant) {
    char reference[16];
    unsigned count = 0;
    do {
        snprintf(reference, sizeof reference, "fresh-%u", count);
    } while (enter(merchant, reference) == LIMITER_ASK && ++count < 1000);
    return count;
}

static void pause_for(duration wait) {
    duration until = clock_monotonic() + wait;
    while (clock_monotonic() < until) {
        usleep(1000);
    }
}

START_TEST(bounds_hold) {
    let_in(MERCHANT, "1");
    let_in(MERCHANT, "2");
    ck_assert_uint_eq(count_free(MERCHANT), 2);
    ck_assert_int_eq(enter(MERCHANT, "3"), LIMITER_FULL);
    ck_assert_int_eq(enter(MERCHANT, "3"), LIMITER_FULL);
    ck_assert_uint_eq(count_free(OTHER_MERCHANT), 2);
    ck_assert_int_eq(enter(9, "3"), LIMITER_FULL);
}
END_TEST

START_TEST(what_is_answered_is_not_in_flight) {
    let_in(MERCHANT, "1");
    ck_assert_uint_eq(count_free(MERCHANT), 3);
    let_in(OTHER_MERCHANT, "1");
    struct query_handle answered = handle;
    query_limiter_answered(limiter, &answered, false);
    ck_assert_uint_eq(count_free(OTHER_MERCHANT), 2);
    query_limiter_end(limiter, &answered, ANSWER);
}
END_TEST

START_TEST(one_query_for_the_same_reference) {
    struct query_handle sharing[2];
    unsigned outcome;
    let_in(MERCHANT, "1");
    struct query_handle asking = handle;
    for (size_t i = 0; i < COUNT_OF(sharing); i++) {
        ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_SHARE);
        sharing[i] = handle;
    }
    ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_FULL); /* two share it already */
    query_limiter_answered(limiter, &asking, false);
    ck_assert_int_eq(query_limiter_look(limiter, &sharing[0], &outcome), SHARED_RUNS);
    query_limiter_end(limiter, &asking, ANSWER);
    for (size_t i = 0; i < COUNT_OF(sharing); i++) {
        ck_assert_int_eq(query_limiter_look(limiter, &sharing[i], &outcome), SHARED_TOLD);
        ck_assert_uint_eq(outcome, ANSWER);
        query_limiter_leave(limiter, &sharing[i]);
    }
    let_in(MERCHANT, "1");
}
END_TEST

START_TEST(what_is_told_stays_for_those_who_come_late) {
    let_in(MERCHANT, "1");
    struct query_handle asking = handle;
    ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_SHARE);
    struct query_handle sharing = handle;
    query_limiter_answered(limiter, &asking, true);
    query_limiter_end(limiter, &asking, ANSWER);
    for (int i = 0; i < 100; i++) {
        ask("2", false);
    }
    unsigned outcome;
    ck_assert_int_eq(query_limiter_look(limiter, &sharing, &outcome), SHARED_TOLD);
    ck_assert_uint_eq(outcome, ANSWER);
}
END_TEST

START_TEST(a_query_that_nobody_ends_is_lost) {
    unsigned outcome;
    let_in(MERCHANT, "1");
    struct query_handle asking = handle;
    ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_SHARE);
    struct query_handle sharing = handle;
    query_limiter_leave(limiter, &asking);
    ck_assert_int_eq(query_limiter_look(limiter, &sharing, &outcome), SHARED_LOST);
    query_limiter_leave(limiter, &sharing);
    ck_assert_uint_eq(count_free(MERCHANT), 4);
}
END_TEST

START_TEST(waiting_takes_a_place_until_it_ends) {
    let_in(MERCHANT, "1");
    ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_SHARE);
    struct query_handle sharing = handle;
    ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_SHARE);
    ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_FULL);
    query_limiter_leave(limiter, &sharing);
    ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_SHARE);
}
END_TEST

START_TEST(other_references_and_networks_are_other_queries) {
    struct limited_query query = query_of(MERCHANT, "1");
    let_in(MERCHANT, "1");
    let_in(MERCHANT, "11");
    query.network_id = 2;
    ck_assert_int_eq(query_limiter_enter(limiter, &query, &handle), LIMITER_ASK);
    query.integration_id++;
    ck_assert_int_eq(query_limiter_enter(limiter, &query, &handle), LIMITER_ASK);
}
END_TEST

static enum limiter_decision enter_as(uint64_t network, const char *reference) {
    struct limited_query query = query_of(MERCHANT, reference);
    query.network_id = network;
    return query_limiter_enter(limiter, &query, &handle);
}

START_TEST(a_network_leaves_others_a_place) {
    ck_assert_int_eq(enter_as(2, "1"), LIMITER_ASK);
    query_limiter_answered(limiter, &handle, false);
    query_limiter_end(limiter, &handle, ANSWER);
    ck_assert_uint_eq(count_free(MERCHANT), 3); /* as many as network 1 */
    ck_assert_int_eq(enter_as(2, "2"), LIMITER_ASK);
    struct query_handle of_other = handle;
    ck_assert_int_eq(enter_as(2, "3"), LIMITER_FULL);
    query_limiter_end(limiter, &of_other, ANSWER);
    ck_assert_int_eq(enter_as(1, "4"), LIMITER_FULL);
    ck_assert_int_eq(enter_as(2, "5"), LIMITER_ASK);
    ck_assert_uint_eq(count_free(OTHER_MERCHANT), 2); /* all that are left; no other network queries this merchant */
}
END_TEST

START_TEST(networks_come_to_hold_equal_shares) {
    char reference[16];
    struct query_handle of_first[4];
    for (int i = 0; i < 4; i++) {
        snprintf(reference, sizeof reference, "first-%d", i);
        ck_assert_int_eq(enter_as(1, reference), LIMITER_ASK);
        of_first[i] = handle;
    }
    ck_assert_int_eq(enter_as(2, "second"), LIMITER_FULL);
    for (int i = 0; i < 2; i++) {
        query_limiter_end(limiter, &of_first[i], ANSWER);
        ck_assert_int_eq(enter_as(1, "again"), LIMITER_FULL);
        snprintf(reference, sizeof reference, "second-%d", i);
        ck_assert_int_eq(enter_as(2, reference), LIMITER_ASK);
    }
    query_limiter_end(limiter, &of_first[2], ANSWER);
    ck_assert_int_eq(enter_as(2, "beyond"), LIMITER_FULL);
    ck_assert_int_eq(enter_as(1, "within"), LIMITER_ASK);
}
END_TEST

START_TEST(more_networks_than_places) {
    char reference[16];
    for (uint64_t network = 1; network <= 9; network++) {
        snprintf(reference, sizeof reference, "%d", (int)network);
        ck_assert_int_eq(enter_as(network, reference), network <= 4 ? LIMITER_ASK : LIMITER_FULL);
    }
}
END_TEST

START_TEST(an_endpoint_that_fails_rests) {
    ck_assert(!ask("1", true));
    ck_assert(!ask("2", true));
    ask("3", false); /* resets the count of failures */
    ck_assert(!ask("1", true));
    ck_assert(!ask("2", true));
    ck_assert(ask("3", true));
    ck_assert_int_eq(enter(MERCHANT, "4"), LIMITER_RESTING);
    ck_assert_int_eq(enter(MERCHANT, "5"), LIMITER_RESTING);
    let_in(OTHER_MERCHANT, "4");
}
END_TEST

static void let_it_rest(void) {
    while (!ask("1", true)) {
    }
}

START_TEST(single_probes_until_it_is_well) {
    unsigned outcome;
    let_it_rest();
    for (int i = 0; i < 3; i++) {
        pause_for(LIMITS.rest);
        let_in(MERCHANT, "1");
        struct query_handle probe = handle;
        ck_assert_int_eq(enter(MERCHANT, "2"), LIMITER_RESTING);
        ck_assert_int_eq(enter(MERCHANT, "1"), LIMITER_SHARE);
        struct query_handle sharing = handle;
        ck_assert(query_limiter_answered(limiter, &probe, true));
        query_limiter_end(limiter, &probe, ANSWER);
        ck_assert_int_eq(query_limiter_look(limiter, &sharing, &outcome), SHARED_TOLD);
        query_limiter_leave(limiter, &sharing);
        ck_assert_int_eq(enter(MERCHANT, "2"), LIMITER_RESTING);
    }
    pause_for(LIMITS.rest);
    ck_assert(!ask("1", false));
    ck_assert_uint_eq(count_free(MERCHANT), 4);
}
END_TEST

/* More failing endpoints than rows: the ones that failed last are remembered. */
START_TEST(many_endpoints_may_fail) {
    for (uint64_t merchant = 100; merchant < 100 + 2 * LIMITER_ENDPOINTS; merchant++) {
        for (unsigned i = 0; i < LIMITS.rest_after; i++) {
            let_in(merchant, "1");
            query_limiter_answered(limiter, &handle, true);
            query_limiter_end(limiter, &handle, 0);
        }
    }
    ck_assert_int_eq(enter(100 + 2 * LIMITER_ENDPOINTS - 1, "1"), LIMITER_RESTING);
}
END_TEST

START_TEST(a_probe_that_is_given_up_is_followed_by_another) {
    let_it_rest();
    pause_for(LIMITS.rest);
    let_in(MERCHANT, "1");
    query_limiter_leave(limiter, &handle);
    let_in(MERCHANT, "2");
}
END_TEST

START_TEST(other_limits_hold_from_then_on) {
    struct query_limits fewer = LIMITS;
    ck_assert_uint_eq(count_free(MERCHANT), 4);
    fewer.in_flight = 5;
    query_limiter_set(limiter, &fewer);
    ck_assert_uint_eq(count_free(OTHER_MERCHANT), 1);
    ck_assert_uint_eq(query_limiter_use(limiter).in_flight, 5);
}
END_TEST

TCase *query_limiter_tests(void) {
    TCase *tests = unit_case("query_limiter");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, bounds_hold);
    tcase_add_test(tests, what_is_answered_is_not_in_flight);
    tcase_add_test(tests, one_query_for_the_same_reference);
    tcase_add_test(tests, what_is_told_stays_for_those_who_come_late);
    tcase_add_test(tests, a_query_that_nobody_ends_is_lost);
    tcase_add_test(tests, waiting_takes_a_place_until_it_ends);
    tcase_add_test(tests, other_references_and_networks_are_other_queries);
    tcase_add_test(tests, a_network_leaves_others_a_place);
    tcase_add_test(tests, networks_come_to_hold_equal_shares);
    tcase_add_test(tests, more_networks_than_places);
    tcase_add_test(tests, an_endpoint_that_fails_rests);
    tcase_add_test(tests, single_probes_until_it_is_well);
    tcase_add_test(tests, many_endpoints_may_fail);
    tcase_add_test(tests, a_probe_that_is_given_up_is_followed_by_another);
    tcase_add_test(tests, other_limits_hold_from_then_on);
    return tests;
}
