#include "store.h"

static const struct {
    const char *name;
    TCase *(*tests)(void);
} ALL[] = {
#define X(subject) {#subject, subject##_tests},
    SUBJECTS(X)
#undef X
};

int main(void) {
    SRunner *runner = srunner_create(NULL);
    database_prepare();
    for (size_t i = 0; i < COUNT_OF(ALL); i++) {
        Suite *suite = suite_create(ALL[i].name);
        suite_add_tcase(suite, ALL[i].tests());
        srunner_add_suite(runner, suite);
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    config_free(&config);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
