#include "unit.h"

#include "outbound/query_limiter.h"
#include "outbound/query_limiter_file.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MERCHANT = 7, OTHER_MERCHANT = 8, KILLS = 100, CHILDREN = 4, ANSWER = 42 };

static const struct query_limits LIMITS = {.in_flight = 6,
                                           .in_flight_per_merchant = 4,
                                           .sharing = 3,
                                           .sharing_per_merchant = 2,
                                           .rest_after = 3,
                                           .rest = 50 * MILLISECOND};

/* Two gates with the same file are two processes as far as the file is concerned: each has a row and a lock of its own.
 */
static char directory[] = "/tmp/recaudo-limiter-XXXXXX", path[64];
static struct query_limiter *limiter, *other;
static struct query_handle handle;

static struct query_limiter *open_limiter(void) {
    struct query_limiter *opened = query_limiter_open(path, &LIMITS);
    ck_assert_ptr_nonnull(opened);
    return opened;
}

static void set_up(void) {
    memcpy(directory + sizeof directory - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/limiter", directory);
    limiter = open_limiter();
    other = open_limiter();
}

static void tear_down(void) {
    query_limiter_close(limiter);
    query_limiter_close(other);
    unlink(path);
    rmdir(directory);
}

static struct limited_query query_of(uint64_t merchant, const char *reference) {
    return (struct limited_query){.merchant_id = merchant,
                                  .integration_id = merchant * 10,
                                  .network_id = 1,
                                  .reference = text_of(reference),
                                  .endpoint = TEXT("https://merchant.example/query")};
}

static enum limiter_decision enter(struct query_limiter *at, uint64_t merchant, const char *reference) {
    const struct limited_query query = query_of(merchant, reference);
    return query_limiter_enter(at, &query, &handle);
}

static void let_in(struct query_limiter *at, uint64_t merchant, const char *reference) {
    ck_assert_int_eq(enter(at, merchant, reference), LIMITER_ASK);
}

/* One query from the beginning to its end. Returns what query_limiter_answered says. */
static bool ask(struct query_limiter *at, const char *reference, bool failed) {
    let_in(at, MERCHANT, reference);
    bool rests = query_limiter_answered(at, &handle, failed);
    query_limiter_end(at, &handle, ANSWER);
    return rests;
}

/* How many queries of fresh references the limiter lets in. They stay in flight. */
static unsigned count_free(struct query_limiter *at, uint64_t merchant) {
    char reference[16];
    unsigned count = 0;
    do {
        snprintf(reference, sizeof reference, "fresh-%u", count);
    } while (enter(at, merchant, reference) == LIMITER_ASK && ++count < 1000);
    return count;
}

static void pause_for(duration wait) {
    duration until = clock_monotonic() + wait;
    while (clock_monotonic() < until) {
        usleep(1000);
    }
}

START_TEST(bounds_hold_in_all_processes_together) {
    let_in(limiter, MERCHANT, "1");
    let_in(other, MERCHANT, "2");
    ck_assert_uint_eq(count_free(limiter, MERCHANT), 2);
    ck_assert_int_eq(enter(limiter, MERCHANT, "3"), LIMITER_FULL);
    ck_assert_int_eq(enter(other, MERCHANT, "3"), LIMITER_FULL);
    ck_assert_uint_eq(count_free(other, OTHER_MERCHANT), 2);
    ck_assert_int_eq(enter(limiter, 9, "3"), LIMITER_FULL);
}
END_TEST

START_TEST(what_is_answered_is_not_in_flight) {
    let_in(limiter, MERCHANT, "1");
    ck_assert_uint_eq(count_free(other, MERCHANT), 3);
    let_in(limiter, OTHER_MERCHANT, "1");
    struct query_handle answered = handle;
    query_limiter_answered(limiter, &answered, false);
    ck_assert_uint_eq(count_free(other, OTHER_MERCHANT), 2);
    query_limiter_end(limiter, &answered, ANSWER);
}
END_TEST

struct waiter {
    struct query_limiter *limiter;
    struct query_handle handle;
    bool told;
    unsigned outcome;
    duration took;
};

static void *wait_for_it(void *of_waiter) {
    struct waiter *waiter = of_waiter;
    duration began_at = clock_monotonic();
    waiter->told = query_limiter_wait(waiter->limiter, &waiter->handle, 5 * SECOND, &waiter->outcome);
    waiter->took = clock_monotonic() - began_at;
    return NULL;
}

START_TEST(one_query_for_the_same_reference) {
    struct waiter waiters[] = {{.limiter = limiter}, {.limiter = other}};
    pthread_t threads[COUNT_OF(waiters)];
    let_in(limiter, MERCHANT, "1");
    struct query_handle asking = handle;
    for (size_t i = 0; i < COUNT_OF(waiters); i++) {
        ck_assert_int_eq(enter(waiters[i].limiter, MERCHANT, "1"), LIMITER_SHARE);
        waiters[i].handle = handle;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_it, &waiters[i]), 0);
    }
    ck_assert_int_eq(enter(limiter, MERCHANT, "1"), LIMITER_FULL); /* two share already */
    query_limiter_answered(limiter, &asking, false);
    query_limiter_end(limiter, &asking, ANSWER);
    for (size_t i = 0; i < COUNT_OF(waiters); i++) {
        pthread_join(threads[i], NULL);
        ck_assert(waiters[i].told);
        ck_assert_uint_eq(waiters[i].outcome, ANSWER);
    }
    let_in(other, MERCHANT, "1");
}
END_TEST

START_TEST(what_is_told_stays_for_those_who_come_late) {
    let_in(limiter, MERCHANT, "1");
    struct query_handle asking = handle;
    ck_assert_int_eq(enter(other, MERCHANT, "1"), LIMITER_SHARE);
    struct query_handle sharing = handle;
    query_limiter_answered(limiter, &asking, true);
    query_limiter_end(limiter, &asking, ANSWER);
    for (int i = 0; i < 100; i++) {
        ask(limiter, "2", false);
    }
    unsigned outcome;
    ck_assert(query_limiter_wait(other, &sharing, SECOND, &outcome));
    ck_assert_uint_eq(outcome, ANSWER);
}
END_TEST

START_TEST(waiting_has_an_end) {
    unsigned outcome;
    let_in(limiter, MERCHANT, "1");
    ck_assert_int_eq(enter(other, MERCHANT, "1"), LIMITER_SHARE);
    duration began_at = clock_monotonic();
    ck_assert(!query_limiter_wait(other, &handle, 30 * MILLISECOND, &outcome));
    ck_assert_int_ge(clock_monotonic() - began_at, 30 * MILLISECOND);
    ck_assert_int_eq(enter(other, MERCHANT, "1"), LIMITER_SHARE); /* its place was given back */
}
END_TEST

START_TEST(other_references_and_networks_are_other_queries) {
    struct limited_query query = query_of(MERCHANT, "1");
    let_in(limiter, MERCHANT, "1");
    let_in(limiter, MERCHANT, "11");
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
    ck_assert_uint_eq(count_free(limiter, MERCHANT), 3); /* as network 1 */
    ck_assert_int_eq(enter_as(2, "2"), LIMITER_ASK);
    struct query_handle of_other = handle;
    ck_assert_int_eq(enter_as(2, "3"), LIMITER_FULL);
    query_limiter_end(limiter, &of_other, ANSWER);
    ck_assert_int_eq(enter_as(1, "4"), LIMITER_FULL);
    ck_assert_int_eq(enter_as(2, "5"), LIMITER_ASK);
    ck_assert_uint_eq(count_free(limiter, OTHER_MERCHANT),
                      2); /* all that are left: of another merchant it asks alone */
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
    ck_assert(!ask(limiter, "1", true));
    ck_assert(!ask(other, "2", true));
    ask(limiter, "3", false); /* begins anew */
    ck_assert(!ask(limiter, "1", true));
    ck_assert(!ask(other, "2", true));
    ck_assert(ask(limiter, "3", true));
    ck_assert_int_eq(enter(limiter, MERCHANT, "4"), LIMITER_RESTING);
    ck_assert_int_eq(enter(other, MERCHANT, "5"), LIMITER_RESTING);
    let_in(limiter, OTHER_MERCHANT, "4");
}
END_TEST

static void let_it_rest(void) {
    while (!ask(limiter, "1", true)) {
    }
}

START_TEST(single_probes_until_it_is_well) {
    unsigned outcome;
    let_it_rest();
    for (int i = 0; i < 3; i++) {
        pause_for(LIMITS.rest);
        let_in(limiter, MERCHANT, "1");
        struct query_handle probe = handle;
        ck_assert_int_eq(enter(other, MERCHANT, "2"), LIMITER_RESTING);
        ck_assert_int_eq(enter(other, MERCHANT, "1"), LIMITER_SHARE);
        struct query_handle sharing = handle;
        ck_assert(query_limiter_answered(limiter, &probe, true));
        query_limiter_end(limiter, &probe, ANSWER);
        ck_assert(query_limiter_wait(other, &sharing, SECOND, &outcome));
        ck_assert_int_eq(enter(other, MERCHANT, "2"), LIMITER_RESTING);
    }
    pause_for(LIMITS.rest);
    ck_assert(!ask(other, "1", false));
    ck_assert_uint_eq(count_free(limiter, MERCHANT), 4);
}
END_TEST

/* More endpoints than there are rows: those that failed lately are remembered. */
START_TEST(many_endpoints_may_fail) {
    for (uint64_t merchant = 100; merchant < 100 + 2 * LIMITER_ENDPOINTS; merchant++) {
        for (unsigned i = 0; i < LIMITS.rest_after; i++) {
            let_in(limiter, merchant, "1");
            query_limiter_answered(limiter, &handle, true);
            query_limiter_end(limiter, &handle, 0);
        }
    }
    ck_assert_int_eq(enter(limiter, 100 + 2 * LIMITER_ENDPOINTS - 1, "1"), LIMITER_RESTING);
}
END_TEST

/* Runs `act` in a process of its own with a limiter of its own, and kills it when it says that it is there. */
static void in_killed_process(void (*act)(struct query_limiter *own)) {
    int ready[2];
    char byte;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        act(query_limiter_open(path, &LIMITS));
        byte = 1;
        _exit(write(ready[1], &byte, 1) == 1 && pause() == 0);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(ready[0]);
    close(ready[1]);
}

static void fill(struct query_limiter *own) {
    count_free(own, MERCHANT);
}

START_TEST(what_a_killed_process_had_in_flight_is_free) {
    in_killed_process(fill);
    ck_assert_uint_eq(count_free(limiter, MERCHANT), 4);
}
END_TEST

static void share_all(struct query_limiter *own) {
    while (enter(own, MERCHANT, "shared") == LIMITER_SHARE) {
    }
}

START_TEST(a_killed_process_shares_no_more) {
    let_in(limiter, MERCHANT, "shared");
    in_killed_process(share_all);
    ck_assert_int_eq(enter(limiter, MERCHANT, "shared"), LIMITER_SHARE);
}
END_TEST

static void probe(struct query_limiter *own) {
    pause_for(LIMITS.rest);
    let_in(own, MERCHANT, "1");
}

START_TEST(a_killed_probe_is_followed_by_another) {
    let_it_rest();
    in_killed_process(probe);
    let_in(limiter, MERCHANT, "2");
}
END_TEST

static void ask_for_the_shared(struct query_limiter *own) {
    let_in(own, MERCHANT, "shared");
}

START_TEST(those_who_wait_for_a_killed_process_are_let_go) {
    struct waiter waiter = {.limiter = other};
    pthread_t thread;
    int done[2];
    char byte = 1;
    ck_assert_int_eq(pipe(done), 0);
    pid_t child = fork();
    if (child == 0) {
        ask_for_the_shared(query_limiter_open(path, &LIMITS));
        _exit(write(done[1], &byte, 1) == 1 && pause() == 0);
    }
    ck_assert_int_eq(read(done[0], &byte, 1), 1);
    ck_assert_int_eq(enter(other, MERCHANT, "shared"), LIMITER_SHARE);
    waiter.handle = handle;
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_it, &waiter), 0);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    pthread_join(thread, NULL);
    ck_assert(!waiter.told);
    ck_assert_int_lt(waiter.took, SECOND);
    let_in(limiter, MERCHANT, "shared");
}
END_TEST

static void die_with_the_lock(struct query_limiter *own) {
    struct query_limiter_file file;
    ck_assert(query_limiter_file_open(path, &file));
    let_in(own, MERCHANT, "1");
    pthread_mutex_lock(&file.shared->lock);
}

START_TEST(the_lock_of_a_killed_process_is_free) {
    in_killed_process(die_with_the_lock);
    ck_assert_uint_eq(count_free(limiter, MERCHANT), 4);
}
END_TEST

static void work_without_end(unsigned seed) {
    struct query_limiter *own = query_limiter_open(path, &LIMITS);
    unsigned outcome;
    for (;;) {
        char reference[16];
        snprintf(reference, sizeof reference, "%d", rand_r(&seed) % 8);
        switch (enter(own, rand_r(&seed) % 2 ? MERCHANT : OTHER_MERCHANT, reference)) {
        case LIMITER_ASK:
            query_limiter_answered(own, &handle, rand_r(&seed) % 3 == 0);
            query_limiter_end(own, &handle, ANSWER);
            break;
        case LIMITER_SHARE:
            (void)query_limiter_wait(own, &handle, MILLISECOND, &outcome);
            break;
        case LIMITER_FULL:
        case LIMITER_RESTING:
            break;
        }
    }
}

static pid_t start_worker(unsigned seed) {
    pid_t child = fork();
    if (child == 0) {
        work_without_end(seed);
    }
    return child;
}

/* Wherever they are when they are killed. */
START_TEST(killed_at_any_moment) {
    pid_t children[CHILDREN];
    for (unsigned i = 0; i < CHILDREN; i++) {
        children[i] = start_worker(i);
    }
    for (unsigned i = 0; i < KILLS; i++) {
        pause_for((duration)(i * 37 % 10) * MILLISECOND / 4);
        kill(children[i % CHILDREN], SIGKILL);
        waitpid(children[i % CHILDREN], NULL, 0);
        children[i % CHILDREN] = start_worker(i);
    }
    for (unsigned i = 0; i < CHILDREN; i++) {
        kill(children[i], SIGKILL);
        waitpid(children[i], NULL, 0);
    }
    pause_for(LIMITS.rest);
    ask(limiter, "1", false);
    ck_assert_uint_eq(count_free(limiter, MERCHANT), 4);
    ck_assert_uint_eq(count_free(other, 9), 2);
}
END_TEST

/* What nobody uses is made anew; what somebody uses and we do not understand is left to them. */
START_TEST(a_file_of_another_layout) {
    struct query_limiter_file file;
    ck_assert(query_limiter_file_open(path, &file));
    file.shared->magic++;
    struct query_limiter *newer = open_limiter();
    ck_assert_uint_eq(count_free(newer, MERCHANT), 4);
    ck_assert_uint_eq(count_free(limiter, MERCHANT), 4);
    query_limiter_close(newer);
    query_limiter_file_close(&file);
    capture_errors();
    ck_assert_ptr_null(query_limiter_open("/nowhere/limiter", &LIMITS));
    ck_assert_ptr_nonnull(strstr(errors_text(), "/nowhere/limiter cannot be used: No such file"));
}
END_TEST

START_TEST(a_file_of_the_past_is_forgotten) {
    let_it_rest();
    query_limiter_close(limiter);
    query_limiter_close(other);
    ck_assert_int_eq(truncate(path, 10), 0);
    limiter = open_limiter();
    other = open_limiter();
    ck_assert_uint_eq(count_free(other, MERCHANT), 4);
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_uint_eq(about.st_mode & 0777, 0600);
}
END_TEST

TCase *query_limiter_tests(void) {
    TCase *tests = unit_case("query_limiter");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, bounds_hold_in_all_processes_together);
    tcase_add_test(tests, what_is_answered_is_not_in_flight);
    tcase_add_test(tests, one_query_for_the_same_reference);
    tcase_add_test(tests, what_is_told_stays_for_those_who_come_late);
    tcase_add_test(tests, waiting_has_an_end);
    tcase_add_test(tests, other_references_and_networks_are_other_queries);
    tcase_add_test(tests, a_network_leaves_others_a_place);
    tcase_add_test(tests, networks_come_to_hold_equal_shares);
    tcase_add_test(tests, more_networks_than_places);
    tcase_add_test(tests, an_endpoint_that_fails_rests);
    tcase_add_test(tests, single_probes_until_it_is_well);
    tcase_add_test(tests, many_endpoints_may_fail);
    tcase_add_test(tests, what_a_killed_process_had_in_flight_is_free);
    tcase_add_test(tests, a_killed_process_shares_no_more);
    tcase_add_test(tests, a_killed_probe_is_followed_by_another);
    tcase_add_test(tests, those_who_wait_for_a_killed_process_are_let_go);
    tcase_add_test(tests, the_lock_of_a_killed_process_is_free);
    tcase_add_test(tests, killed_at_any_moment);
    tcase_add_test(tests, a_file_of_another_layout);
    tcase_add_test(tests, a_file_of_the_past_is_forgotten);
    return tests;
}
