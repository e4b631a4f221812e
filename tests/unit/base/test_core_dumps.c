#include "unit.h"

#include "base/process/core_dumps.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs in a forked process and a child of it, so that the tests themselves stay dumpable. */
static int count_dumpable(void) {
    struct rlimit limit = {1, 1};
    core_dumps_off();
    getrlimit(RLIMIT_CORE, &limit);
    int here = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0 || limit.rlim_cur != 0 || limit.rlim_max != 0;
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        _exit(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0);
    }
    waitpid(child, &status, 0);
    return here + (status != 0);
}

START_TEST(nothing_is_dumped) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        _exit(count_dumpable());
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}
END_TEST

TCase *core_dumps_tests(void) {
    TCase *tests = unit_case("core dumps");
#ifndef __SANITIZE_ADDRESS__
    tcase_add_test(tests, nothing_is_dumped);
#else
    (void)nothing_is_dumped;
#endif
    return tests;
}
