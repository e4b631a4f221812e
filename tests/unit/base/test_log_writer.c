#include "unit.h"

#include "base/clock.h"
#include "base/log.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Each test runs processes whose standard error is a pipe or a file, and which start a writer and log. MANY lines
 * exceed the buffer and a pipe.
 */
enum { MANY = 20000, THREADS = 4, EACH = 100, SMALL_STACK = 512 * 1024 };

static _Atomic uint64_t *dropped;
static int from_log, go_on;

static void set_up(void) {
    dropped = mmap(NULL, sizeof *dropped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(dropped, MAP_FAILED);
    *dropped = 0;
}

static pid_t run_with(int standard_error, void (*program)(void)) {
    pid_t child = fork();
    if (child == 0) {
        dup2(standard_error, STDERR_FILENO);
        log_start_writer(dropped);
        program();
        exit(EXIT_SUCCESS);
    }
    return child;
}

/* Runs a process whose standard error is a pipe; from_log is the other end. */
static pid_t run(void (*program)(void)) {
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    from_log = ends[0];
    pid_t child = run_with(ends[1], program);
    close(ends[1]);
    return child;
}

static void ends_well(pid_t child) {
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
}

/* Returns the log until all its writers have ended. */
static const char *read_all(void) {
    static char text[4 << 20];
    size_t size = 0;
    ssize_t more;
    while ((more = read(from_log, text + size, sizeof text - 1 - size)) > 0) {
        size += (size_t)more;
    }
    text[size] = '\0';
    close(from_log);
    return text;
}

static void log_three(void) {
    log_line(LOG_INFO, "one");
    log_line(LOG_WARNING, "two");
    log_line(LOG_ERROR, "three");
}

START_TEST(what_is_logged_before_the_end_is_written) {
    pid_t child = run(log_three);
    const char *text = read_all();
    ends_well(child);
    const char *one = strstr(text, " info one\n"), *two = strstr(text, " warning two\n");
    ck_assert(one != NULL && two > one && strstr(text, " error three\n") > two);
}
END_TEST

static void log_many(void) {
    for (int i = 0; i < MANY; i++) {
        log_line(LOG_INFO, "line %d %0100d", i, 0);
    }
}

START_TEST(a_reader_that_stops_stops_nobody) {
    duration began = clock_monotonic();
    ends_well(run(log_many)); /* at its end it waits one second */
    ck_assert_int_lt(clock_monotonic() - began, 10 * SECOND);
    ck_assert_uint_gt(*dropped, 0);
    ck_assert_uint_lt(*dropped, MANY);
    close(from_log);
}
END_TEST

/* Logs more than fits while nobody reads, then more after a byte from go_on, when somebody reads. */
static void log_many_and_more(void) {
    char byte;
    log_many();
    ck_assert_int_eq(read(go_on, &byte, 1), 1);
    log_line(LOG_INFO, "read again");
}

/* Checks that the lines are whole and in order, and that only dropped ones are missing. Returns their number. */
static uint64_t check_lines(const char *text) {
    uint64_t lines = 0;
    for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        const char *words = strstr(at, " info line ");
        if (words == at + strlen("2026-11-22T01:02:03.004Z")) {
            ck_assert_uint_eq(strtoull(words + strlen(" info line "), NULL, 10), lines);
            lines++;
        }
    }
    return lines;
}

START_TEST(dropped_lines_are_counted_and_told_in_their_place) {
    int go[2];
    char words[80];
    ck_assert_int_eq(pipe(go), 0);
    go_on = go[0];
    pid_t child = run(log_many_and_more);
    while (*dropped == 0) {
        usleep(1000);
    }
    uint64_t before;
    do {
        before = *dropped;
        usleep(200000);
    } while (*dropped != before); /* until it has reported all */
    snprintf(words, sizeof words, " warning %llu lines of this log were dropped", (unsigned long long)*dropped);
    static char text[4 << 20];
    size_t size = 0;
    while (strstr(text, "were dropped") == NULL) {
        ssize_t more = read(from_log, text + size, sizeof text - 1 - size);
        ck_assert_int_gt(more, 0);
        size += (size_t)more;
        text[size] = '\0';
    }
    ck_assert_ptr_nonnull(strstr(text, words));
    ck_assert_uint_eq(check_lines(text) + *dropped, MANY);
    ck_assert_int_eq(write(go[1], "", 1), 1);
    ck_assert_ptr_nonnull(strstr(read_all(), "info read again\n"));
    ends_well(child);
    close(go[0]);
    close(go[1]);
}
END_TEST

static void *log_some(void *unused) {
    for (int i = 0; i < EACH; i++) {
        log_line(LOG_INFO, "thread %01000d", 7);
    }
    return unused;
}

static void log_from_threads(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, log_some, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
}

static void log_from_processes(void) {
    for (int i = 0; i < 3; i++) {
        if (fork() == 0) {
            log_from_threads();
            exit(EXIT_SUCCESS);
        }
    }
    log_from_threads();
    while (wait(NULL) > 0) {
    }
}

/* Threads and forked processes, each process with a writer of its own, share one pipe. */
START_TEST(lines_stay_whole) {
    pid_t child = run(log_from_processes);
    const char *text = read_all();
    ends_well(child);
    uint64_t lines = 0;
    for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        ck_assert_uint_eq((size_t)(strchr(at, '\n') - at), strlen("2026-11-22T01:02:03.004Z info thread ") + 1000);
        lines++;
    }
    ck_assert_uint_eq(lines, 4 * THREADS * EACH);
    ck_assert_uint_eq(*dropped, 0);
}
END_TEST

static void log_and_fork(void) {
    for (int i = 0; i < 100; i++) {
        log_line(LOG_INFO, "parent %d", i);
        pid_t child = fork();
        if (child == 0) {
            log_line(LOG_INFO, "child %d", i);
            exit(EXIT_SUCCESS);
        }
        waitpid(child, NULL, 0);
    }
}

static void check_once(const char *text, const char *who, int number) {
    char words[40];
    snprintf(words, sizeof words, " info %s %d\n", who, number);
    const char *at = strstr(text, words);
    ck_assert_msg(at != NULL, "missing:%s", words);
    ck_assert_msg(strstr(at + 1, words) == NULL, "twice:%s", words);
}

/* Does not count the lines, because a sanitizer writes lines of its own. */
START_TEST(a_fork_writes_nothing_twice) {
    pid_t child = run(log_and_fork);
    const char *text = read_all();
    ends_well(child);
    for (int i = 0; i < 100; i++) {
        check_once(text, "parent", i);
        check_once(text, "child", i);
    }
}
END_TEST

/* Simulates a full disk with a file that cannot grow for a while. */
static void log_into_full_file(void) {
    struct rlimit limit = {.rlim_cur = 30, .rlim_max = RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    log_line(LOG_INFO, "this is torn, for it does not fit");
    while (*dropped == 0) {
        usleep(1000);
    }
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    log_line(LOG_INFO, "there is room again");
}

START_TEST(what_cannot_be_written_is_counted_too) {
    char path[] = "/tmp/recaudo-log-XXXXXX", text[1024] = "";
    int file = mkstemp(path);
    ends_well(run_with(file, log_into_full_file));
    ck_assert_int_gt(pread(file, text, sizeof text - 1, 0), 0);
    close(file);
    unlink(path);
    ck_assert_uint_eq(*dropped, 1);
    ck_assert_ptr_nonnull(strstr(text, " info there is room again\n"));
    ck_assert_ptr_nonnull(strstr(text, " warning 1 lines of this log were dropped"));
    ck_assert_int_eq(text[30], '\n');
}
END_TEST

static void log_slowly(void) {
    for (int i = 0; i < 200; i++) {
        log_line(LOG_INFO, "slow %d", i);
        usleep(1000);
    }
}

/* Each read of an O_DIRECT pipe returns one write. */
START_TEST(lines_leave_together) {
    char text[8192];
    int ends[2], writes = 0, lines = 0;
    ck_assert_int_eq(pipe2(ends, O_DIRECT), 0);
    pid_t child = run_with(ends[1], log_slowly);
    close(ends[1]);
    for (ssize_t size; (size = read(ends[0], text, sizeof text)) > 0; writes++) {
        for (ssize_t i = 0; i < size; i++) {
            lines += text[i] == '\n';
        }
    }
    ends_well(child);
    close(ends[0]);
    ck_assert_int_ge(lines, 200);
    ck_assert_int_lt(writes, lines / 4);
}
END_TEST

enum { ERRORS = 300 };

/* Logs an info and an error, and waits until the reader has seen the error before the next one. */
static void log_errors(void) {
    char byte;
    for (int i = 0; i < ERRORS; i++) {
        log_line(LOG_INFO, "info %d", i);
        log_line(LOG_ERROR, "error %d", i);
        ck_assert_int_eq(read(go_on, &byte, 1), 1);
    }
}

/* If errors waited for other lines, each would come 0.1 s later. */
START_TEST(an_error_leaves_at_once) {
    static char text[1 << 20];
    size_t size = 0;
    int go[2];
    ck_assert_int_eq(pipe(go), 0);
    go_on = go[0];
    duration began = clock_monotonic();
    pid_t child = run(log_errors);
    for (int i = 0; i < ERRORS; i++) {
        char words[40];
        snprintf(words, sizeof words, " error error %d\n", i);
        while (strstr(text, words) == NULL) {
            ssize_t more = read(from_log, text + size, sizeof text - 1 - size);
            ck_assert_int_gt(more, 0);
            size += (size_t)more;
        }
        ck_assert_int_eq(write(go[1], "", 1), 1);
    }
    ck_assert_int_lt(clock_monotonic() - began, ERRORS * 80 * MILLISECOND);
    ends_well(child);
    close(from_log);
    close(go[0]);
    close(go[1]);
}
END_TEST

static void log_and_abort(void) {
    for (int i = 0; i < 10; i++) {
        log_line(LOG_INFO, "before the end %d", i);
    }
    abort();
}

static void log_and_be_told_to_abort(void) {
    for (int i = 0; i < 10; i++) {
        log_line(LOG_INFO, "before the end %d", i);
    }
    kill(getpid(), SIGABRT);
    for (;;) {
        pause();
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static void log_and_be_killed_by(int number) {
    for (int i = 0; i < 10; i++) {
        log_line(LOG_INFO, "before the end %d", i);
    }
    raise(number);
}

static void log_and_crash(void) {
    log_and_be_killed_by(SIGSEGV);
}

static void log_and_lose_memory(void) {
    log_and_be_killed_by(SIGBUS);
}

static void log_and_divide_by_zero(void) {
    log_and_be_killed_by(SIGFPE);
}

static void log_and_meet_nonsense(void) {
    log_and_be_killed_by(SIGILL);
}

/* Reads the caller's bytes, so that the compiler cannot turn the recursion into a loop. */
static int fill_stack(const volatile char *of_caller) {
    volatile char bytes[4096] = {of_caller[0]};
    return of_caller[0] == 0 ? fill_stack(bytes) + bytes[1] : 0;
}

/* Uses a small stack, so that the lines are not written before it overflows. */
static void log_and_use_up_the_stack(void) {
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = SMALL_STACK;
    setrlimit(RLIMIT_STACK, &stack);
    for (int i = 0; i < 10; i++) {
        log_line(LOG_INFO, "before the end %d", i);
    }
    exit(fill_stack(""));
}
#endif

static const struct {
    void (*program)(void);
    int signal;
} DYING[] = {
    {log_and_abort, SIGABRT},        {log_and_be_told_to_abort, SIGABRT},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they handle these themselves */
    {log_and_crash, SIGSEGV},        {log_and_lose_memory, SIGBUS},       {log_and_divide_by_zero, SIGFPE},
    {log_and_meet_nonsense, SIGILL}, {log_and_use_up_the_stack, SIGSEGV},
#endif
};

START_TEST(what_is_logged_before_a_crash_is_written) {
    int status;
    pid_t child = run(DYING[_i].program);
    const char *text = read_all();
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == DYING[_i].signal);
    ck_assert_ptr_nonnull(strstr(text, " info before the end 9\n"));
}
END_TEST

enum { EXITS = 40 };

static duration time_of_exit(pid_t child, duration began) {
    ends_well(child);
    return clock_monotonic() - began;
}

/* Measures the exit of a process without a writer on this machine, with the present sanitizer. */
static duration time_of_plain_exit(void) {
    duration began = clock_monotonic();
    pid_t child = fork();
    if (child == 0) {
        exit(EXIT_SUCCESS);
    }
    return time_of_exit(child, began);
}

static duration time_of_exit_with_lines(void) {
    duration began = clock_monotonic();
    pid_t child = run(log_three);
    ck_assert_ptr_nonnull(strstr(read_all(), " error three\n"));
    return time_of_exit(child, began);
}

static duration least(duration one, duration other) {
    return one < other ? one : other;
}

/* If an exit waited for the writer's next pass, each would take 0.1 s longer. On a busy machine some may. */
START_TEST(an_exit_does_not_wait) {
    duration plain = INT64_MAX, with_lines = INT64_MAX;
    for (int i = 0; i < EXITS; i++) {
        plain = least(plain, time_of_plain_exit());
        with_lines = least(with_lines, time_of_exit_with_lines());
    }
    ck_assert_int_lt(with_lines - plain, 80 * MILLISECOND);
}
END_TEST

TCase *log_writer_tests(void) {
    TCase *tests = unit_case("log_writer");
    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, what_is_logged_before_the_end_is_written);
    tcase_add_test(tests, a_reader_that_stops_stops_nobody);
    tcase_add_test(tests, dropped_lines_are_counted_and_told_in_their_place);
    tcase_add_test(tests, lines_stay_whole);
    tcase_add_test(tests, a_fork_writes_nothing_twice);
    tcase_add_test(tests, what_cannot_be_written_is_counted_too);
    tcase_add_test(tests, lines_leave_together);
    tcase_add_test(tests, an_error_leaves_at_once);
    tcase_add_loop_test(tests, what_is_logged_before_a_crash_is_written, 0, COUNT_OF(DYING));
    tcase_add_test(tests, an_exit_does_not_wait);
    return tests;
}
