#include "store.h"

static const struct {
    const char *name;
    TCase *(*tests)(void);
} ALL[] = {
#define X(subject) {#subject, subject##_tests},
    SUBJECTS(X)
#undef X
};

static int run(size_t first, size_t end) {
    SRunner *runner = srunner_create(NULL);
    for (size_t i = first; i < end; i++) {
        Suite *suite = suite_create(ALL[i].name);
        suite_add_tcase(suite, ALL[i].tests());
        srunner_add_suite(runner, suite);
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}

static size_t place_of(const char *name) {
    size_t place = 0;
    while (place < COUNT_OF(ALL) && strcmp(ALL[place].name, name) != 0) {
        place++;
    }
    return place;
}

/* Runs the named suites, in that order, until one fails. */
static int run_named(int count, char **names) {
    int failed = 0;
    for (int i = 0; i < count && failed == 0; i++) {
        size_t place = place_of(names[i]);
        if (place == COUNT_OF(ALL)) {
            fprintf(stderr, "there is no suite %s\n", names[i]);
            return 1;
        }
        failed = run(place, place + 1);
    }
    return failed;
}

int main(int argc, char **argv) {
    database_prepare();
    int failed = argc > 1 ? run_named(argc - 1, argv + 1) : run(0, COUNT_OF(ALL));
    config_free(&config);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
