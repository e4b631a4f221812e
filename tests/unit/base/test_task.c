#include "unit.h"

#include "base/loop/loop.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char written[64];
static struct task_queue queue;
static bool all_done;
static int ends[2];

static void set_up(void) {
    written[0] = '\0';
    queue = (struct task_queue){0};
    all_done = false;
    ck_assert(loop_open());
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
}

static void tear_down(void) {
    loop_close();
    close(ends[0]);
    close(ends[1]);
}

static void note(const char *what) {
    size_t size = strlen(written);
    snprintf(written + size, sizeof written - size, "%s", what);
}

static void wait_in_queue(void *name) {
    note(task_wait(&queue, INT64_MAX) ? name : "?");
}

static void wake(void *unused) {
    (void)unused;
    ck_assert_str_eq(written, "");
    task_wake_first(&queue);
    task_sleep(MILLISECOND);
    note("|");
    task_wake_all(&queue);
    all_done = true;
}

START_TEST(tasks_are_woken_in_the_order_in_which_they_came) {
    char a[] = "a", b[] = "b", c[] = "c";
    ck_assert_ptr_null(task_running());
    task_start(wait_in_queue, a);
    task_start(wait_in_queue, b);
    task_start(wait_in_queue, c);
    task_start(wake, NULL);
    loop_run_until(&all_done);
    tasks_run();
    ck_assert_str_eq(written, "a|bc");
    ck_assert_uint_eq(tasks_count(), 0);
}
END_TEST

static void wait_a_moment(void *unused) {
    (void)unused;
    duration began = clock_monotonic();
    ck_assert(!task_wait(&queue, began + 20 * MILLISECOND));
    ck_assert_int_ge(clock_monotonic() - began, 20 * MILLISECOND);
    ck_assert_ptr_null(queue.first);
    all_done = true;
}

START_TEST(who_waits_too_long_leaves_the_queue) {
    task_start(wait_a_moment, NULL);
    loop_run_until(&all_done);
}
END_TEST

static void read_twice(void *unused) {
    struct task_socket socket;
    char byte;
    (void)unused;
    ck_assert(task_socket_begin(&socket, ends[0]));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_lt(read(ends[0], &byte, 1), 0);
        ck_assert_uint_eq(task_socket_wait(&socket, EPOLLIN, clock_monotonic() + MINUTE) & EPOLLIN, EPOLLIN);
        ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    }
    ck_assert_uint_eq(task_socket_wait(&socket, EPOLLIN, clock_monotonic() + MILLISECOND), 0);
    ck_assert_uint_ne(task_socket_wait(&socket, EPOLLOUT, clock_monotonic() + MINUTE) & EPOLLOUT, 0);
    close(ends[1]);
    ck_assert_uint_ne(task_socket_wait(&socket, EPOLLIN, clock_monotonic() + MINUTE) & EPOLLHUP, 0);
    task_socket_end(&socket);
    all_done = true;
}

static void write_twice(void *unused) {
    (void)unused;
    for (int i = 0; i < 2; i++) {
        task_sleep(5 * MILLISECOND);
        ck_assert_int_eq(write(ends[1], "x", 1), 1);
    }
}

START_TEST(a_task_waits_for_its_socket) {
    task_start(read_twice, NULL);
    task_start(write_twice, NULL);
    loop_run_until(&all_done);
}
END_TEST

static void read_and_wait(void *of_byte) {
    ck_assert_ptr_null(task_running());
    ck_assert_int_eq(recv(ends[0], of_byte, 1, 0), 1);
}

static void block_apart(void *unused) {
    char byte = '-';
    (void)unused;
    ck_assert(task_run_apart(read_and_wait, &byte));
    ck_assert_int_eq(byte, 'x');
    all_done = true;
}

static void write_once(void *unused) {
    (void)unused;
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
}

START_TEST(what_blocks_runs_apart) {
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    task_start(block_apart, NULL);
    task_start(write_once, NULL);
    loop_run_until(&all_done);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

enum { MANY = 300 };

static size_t slept;

static void sleep_a_little(void *unused) {
    char room[60 * 1024];
    (void)unused;
    memset(room, 1, sizeof room);
    task_sleep((duration)(slept % 7) * MILLISECOND);
    slept += (size_t)room[slept];
    all_done = slept == MANY;
}

START_TEST(many_tasks_have_room_beside_each_other) {
    slept = 0;
    for (int i = 0; i < MANY; i++) {
        task_start(sleep_a_little, NULL);
    }
    loop_run_until(&all_done);
    ck_assert_uint_eq(tasks_count(), 0);
}
END_TEST

static int go_too_deep(int depth) {
    volatile char room[4096];
    room[0] = (char)depth;
    return depth == 0 ? 0 : go_too_deep(depth - 1) + room[0];
}

static void overflow(void *unused) {
    volatile int reached = go_too_deep(1000);
    (void)unused, (void)reached;
    _exit(EXIT_SUCCESS);
}

/* The protected page below a stack keeps an overflow from overwriting another task's memory. A sanitizer would report
 * the overflow and end the process in its own way. */
START_TEST(a_stack_that_overflows_ends_the_process) {
    pid_t child = fork();
    int status;
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        task_start(overflow, NULL);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}
END_TEST

TCase *task_tests(void) {
    TCase *tests = unit_case("task");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, tasks_are_woken_in_the_order_in_which_they_came);
    tcase_add_test(tests, who_waits_too_long_leaves_the_queue);
    tcase_add_test(tests, a_task_waits_for_its_socket);
    tcase_add_test(tests, what_blocks_runs_apart);
    tcase_add_test(tests, many_tasks_have_room_beside_each_other);
    tcase_add_test(tests, a_stack_that_overflows_ends_the_process);
    return tests;
}
