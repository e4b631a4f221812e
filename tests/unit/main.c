#include "unit.h"

#include <stdlib.h>

static const struct {
    const char *name;
    TCase *(*tests)(void);
} ALL[] = {
#define X(module) {#module, module##_tests},
    MODULES(X)
#undef X
};

/* Each test normally has a process of its own. With a leak check or coverage data at each process end, this would take
 * far longer than the tests. */
#if defined __SANITIZE_ADDRESS__ || defined MEASURES_COVERAGE
#define FORK_STATUS CK_NOFORK
#else
#define FORK_STATUS CK_FORK_GETENV
#endif

/* Far longer than any test takes, because the machine may be busy. */
enum { SECONDS_MAX = 60 };

TCase *unit_case(const char *name) {
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, NULL, files_end);
    tcase_set_timeout(tests, SECONDS_MAX);
    return tests;
}

int main(void) {
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < COUNT_OF(ALL); i++) {
        Suite *suite = suite_create(ALL[i].name);
        suite_add_tcase(suite, ALL[i].tests());
        srunner_add_suite(runner, suite);
    }
    srunner_set_fork_status(runner, FORK_STATUS);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
