#include "unit.h"

#include "api/caller/rates.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NETWORK = 7, BURST = 1000, PROCESSES = 4, THREADS = 4, KILLS = 50 };

/* So slow that no second request becomes due during a test. */
static const struct rate SLOW = {1, BURST};

static char directory[] = "/tmp/recaudo-rates-XXXXXX", path[64];
static struct rates *rates;

static void set_up(void) {
    memcpy(directory + sizeof directory - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/rates", directory);
    rates = rates_open(path);
    ck_assert_ptr_nonnull(rates);
}

static void tear_down(void) {
    rates_close(rates);
    unlink(path);
    rmdir(directory);
}

/* Takes as many requests as are admitted, and returns their number. */
static unsigned drain(struct rates *of, uint64_t network) {
    unsigned taken = 0;
    while (rates_take(of, network, SLOW) == 0) {
        taken++;
    }
    return taken;
}

/* Allows for requests that become due while the test runs, at one per second. */
static void assert_about(unsigned taken, unsigned burst) {
    ck_assert_msg(taken >= burst && taken <= burst + 60, "%u taken of %u", taken, burst);
}

START_TEST(says_when_the_next_one_is_due) {
    const struct rate rate = {2, 1};
    ck_assert_int_eq(rates_take(rates, NETWORK, rate), 0);
    duration wait = rates_take(rates, NETWORK, rate);
    ck_assert(wait > 0 && wait <= SECOND / 2);
}
END_TEST

START_TEST(every_network_has_its_own) {
    assert_about(drain(rates, NETWORK), BURST);
    assert_about(drain(rates, NETWORK + 1), BURST);
    assert_about(drain(rates, NETWORK + RATES_NETWORKS), BURST);
    ck_assert(rates_take(rates, NETWORK, SLOW) > 0);
}
END_TEST

START_TEST(more_networks_than_places_share) {
    const struct rate once = {1, 1};
    for (uint64_t network = 1; network <= RATES_NETWORKS; network++) {
        ck_assert_int_eq(rates_take(rates, network, once), 0);
    }
    ck_assert(rates_take(rates, RATES_NETWORKS, once) > 0);
    ck_assert(rates_take(rates, 2 * RATES_NETWORKS, once) > 0);
}
END_TEST

START_TEST(stays_when_the_file_is_opened_again) {
    drain(rates, NETWORK);
    rates_close(rates);
    rates = rates_open(path);
    ck_assert_ptr_nonnull(rates);
    ck_assert(rates_take(rates, NETWORK, SLOW) > 0);
}
END_TEST

static void *drain_in_thread(void *taken) {
    *(unsigned *)taken = drain(rates, NETWORK);
    return NULL;
}

START_TEST(threads_share) {
    pthread_t threads[THREADS];
    unsigned taken[THREADS], sum = 0;
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, drain_in_thread, &taken[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += taken[i];
    }
    assert_about(sum, BURST);
}
END_TEST

/* Forks a process that opens the file itself. */
static pid_t spawn(void (*work)(struct rates *of, int out), int out) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct rates *own = rates_open(path);
        if (own != NULL) {
            work(own, out);
        }
        _exit(own == NULL);
    }
    return child;
}

static void drain_in_process(struct rates *of, int out) {
    unsigned taken = drain(of, NETWORK);
    if (write(out, &taken, sizeof taken) != (ssize_t)sizeof taken) {
        _exit(EXIT_FAILURE);
    }
}

START_TEST(processes_share) {
    int ends[2], status;
    unsigned sum = 0, taken;
    ck_assert_int_eq(pipe(ends), 0);
    for (int i = 0; i < PROCESSES; i++) {
        spawn(drain_in_process, ends[1]);
    }
    for (int i = 0; i < PROCESSES; i++) {
        ck_assert_int_eq(read(ends[0], &taken, sizeof taken), sizeof taken);
        sum += taken;
        ck_assert_int_gt(wait(&status), 0);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    close(ends[0]);
    close(ends[1]);
    assert_about(sum, BURST);
}
END_TEST

static void take_for_ever(struct rates *of, int out) {
    char begun = 1;
    if (write(out, &begun, 1) != 1) {
        _exit(EXIT_FAILURE);
    }
    for (uint64_t network = 1;; network++) {
        rates_take(of, network, (struct rate){1000, 1000});
    }
}

/* Processes are killed at any moment; later ones can still use the rest of the rate. */
START_TEST(killed_processes_leave_nothing_behind) {
    int ends[2], status;
    char begun;
    ck_assert_int_eq(pipe(ends), 0);
    for (int i = 0; i < KILLS; i++) {
        pid_t child = spawn(take_for_ever, ends[1]);
        ck_assert_int_eq(read(ends[0], &begun, 1), 1);
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status));
        duration longest = rates_take(rates, NETWORK, (struct rate){1000, 1000});
        ck_assert_msg(longest <= SECOND / 1000, "%lld", (long long)longest);
    }
    close(ends[0]);
    close(ends[1]);
}
END_TEST

static void write_file(const char *bytes, size_t size) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

START_TEST(refuses_what_is_not_its_file) {
    static char large[2 * RATES_NETWORKS * 16];
    struct stat about;
    write_file("something else", 14);
    ck_assert_ptr_null(rates_open(path));
    write_file(large, sizeof large);
    ck_assert_ptr_null(rates_open(path));
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_size, sizeof large);
    ck_assert_ptr_null(rates_open(directory));
    ck_assert_ptr_null(rates_open("/nonexistent/rates"));
}
END_TEST

START_TEST(is_for_its_user_only) {
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    ck_assert_int_eq(about.st_mode & 0777, 0600);
}
END_TEST

TCase *rates_tests(void) {
    TCase *tests = unit_case("rates");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, says_when_the_next_one_is_due);
    tcase_add_test(tests, every_network_has_its_own);
    tcase_add_test(tests, more_networks_than_places_share);
    tcase_add_test(tests, stays_when_the_file_is_opened_again);
    tcase_add_test(tests, threads_share);
    tcase_add_test(tests, processes_share);
    tcase_add_test(tests, killed_processes_leave_nothing_behind);
    tcase_add_test(tests, refuses_what_is_not_its_file);
    tcase_add_test(tests, is_for_its_user_only);
    return tests;
}
