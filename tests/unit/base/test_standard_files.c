#include "unit.h"

#include "base/process/standard_files.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static bool fails(ssize_t result) {
    return result < 0 && errno == EBADF;
}

/* Runs in a forked process. Returns how many of the three are not as a closed file is. */
static int count_usable(void) {
    char byte = 'x';
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    standard_files_hold();
    return !fails(read(STDIN_FILENO, &byte, 1)) + !fails(write(STDOUT_FILENO, &byte, 1)) +
           !fails(write(STDERR_FILENO, &byte, 1));
}

static int status_of(int (*count)(void)) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        _exit(count());
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

/* Returns how many files get a number of the three. */
static int count_in_their_places(void) {
    int between[2];
    close(STDOUT_FILENO);
    standard_files_hold();
    return pipe(between) == 0 ? (between[0] <= STDERR_FILENO) + (between[1] <= STDERR_FILENO) : 1;
}

static int count_changed(void) {
    int between[2];
    char byte = 'x';
    if (pipe(between) != 0 || dup2(between[1], STDERR_FILENO) != STDERR_FILENO) {
        return 1;
    }
    standard_files_hold();
    return write(STDERR_FILENO, &byte, 1) != 1;
}

START_TEST(closed_ones_stay_unusable) {
    ck_assert_int_eq(status_of(count_usable), 0);
}
END_TEST

START_TEST(no_file_takes_their_places) {
    ck_assert_int_eq(status_of(count_in_their_places), 0);
}
END_TEST

START_TEST(open_ones_stay) {
    ck_assert_int_eq(status_of(count_changed), 0);
}
END_TEST

TCase *standard_files_tests(void) {
    TCase *tests = unit_case("standard files");
    tcase_add_test(tests, closed_ones_stay_unusable);
    tcase_add_test(tests, no_file_takes_their_places);
    tcase_add_test(tests, open_ones_stay);
    return tests;
}
