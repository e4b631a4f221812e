#include "unit.h"

#include "dispatch/run/task_run.h"

/* Threads that help the working one sleep too. Their sleeps must not hide that it hangs. */
START_TEST(a_sleep_is_no_progress) {
    struct progress progress = {0};
    struct progress_watch watch = {.seen = 0};
    const struct task_run run = {.once = true, .stop_event = -1, .progress = &progress};
    task_run_sleep(&run, MILLISECOND);
    ck_assert(!progress_look(&watch, &progress, MILLISECOND));
    task_run_progress(&run);
    ck_assert(progress_look(&watch, &progress, MILLISECOND));
}
END_TEST

TCase *task_run_tests(void) {
    TCase *tests = unit_case("task_run");
    tcase_add_test(tests, a_sleep_is_no_progress);
    return tests;
}
