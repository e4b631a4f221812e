#include "unit.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs the script, whose output goes to standard error. Returns its exit status. */
static int check_layers(const char *root) {
    char script[] = SOURCE_DIRECTORY "/tests/unit/layers";
    char *arguments[] = {script, (char *)(uintptr_t)root, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    ck_assert_int_eq(posix_spawn(&pid, script, &actions, NULL, arguments, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

START_TEST(sources_keep_to_the_table) {
    ck_assert_int_eq(check_layers(SOURCE_DIRECTORY), 0);
}
END_TEST

static const char *const HEADERS[] = {"domain/money.h", "store/db/sql.h", "store/order/orders.h"};

static const struct {
    const char *folder;
    const char *line; /* a line of a file in that folder; the HEADERS exist */
    bool allowed;
} INCLUDES[] = {
    {"store/db", "#include \"domain/money.h\"", true},
    {"domain", "#include \"domain/money.h\"", true},
    {"domain", "#include <string.h>", true},
    {"base", "#include \"domain/money.h\"", false},
    {"auth", "  #  include \"domain/money.h\"", false},
    {"edge", "#include \"domain/money.h\"", false},
    {"store/db", "#include \"domain/gone.h\"", false},
    {"store/db", "#include \"../domain/money.h\"", false},
    {"store/db", "#include MONEY_HEADER", false},
    {"store/db", "#include <mysql.h>", true},
    {"store/order", "#include \"store/db/sql.h\"", true},
    {"store/order", "#include \"store/order/orders.h\"", true},
    {"store/external", "#include \"store/order/orders.h\"", true},
    {"store/db", "#include \"store/order/orders.h\"", false},
    {"store/payment", "#include \"store/order/orders.h\"", false},
    {"domain", "#include <openssl/sha.h>", false},
    {"auth", "#include <openssl/sha.h>", true},
    {"page", "#include <zint.h>", false}, /* only in barcode.c */
    {"page", "#include \"domain/money.h\"", true},
    {"edge", "#include <mysql/mysql.h>", false},
    {"edge", "#include <json-c/json.h>", false},
    {"edge", "#include <fcgi_stdio.h>", true},
    {"dispatch", "#include <fcgi_stdio.h>", false},
    {"fresh", "#include <string.h>", false},
    {"store", "#include <string.h>", false}, /* only in its groups */
    {"store/fresh", "#include <string.h>", false},
    {"domain/fresh", "#include <string.h>", false},
};

static void write_file(const char *root, const char *place, const char *content) {
    char path[200];
    snprintf(path, sizeof path, "%s/src/%s", root, place);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ck_assert(mkdir(path, 0700) == 0 || access(path, W_OK) == 0);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s\n", content);
    fclose(file);
}

/* Removes the file, and the folders above it that are empty then. */
static void remove_file(const char *root, const char *place) {
    char path[200];
    snprintf(path, sizeof path, "%s/src/%s", root, place);
    unlink(path);
    for (char *slash = strrchr(path, '/'); strlen(path) > strlen(root); slash = strrchr(path, '/')) {
        *slash = '\0';
        rmdir(path);
    }
}

START_TEST(sees_each_breach) {
    char root[] = "/tmp/recaudo-unit-XXXXXX", place[64];
    capture_errors();
    ck_assert_ptr_nonnull(mkdtemp(root));
    for (size_t i = 0; i < COUNT_OF(HEADERS); i++) {
        write_file(root, HEADERS[i], "");
    }
    snprintf(place, sizeof place, "%s/new.c", INCLUDES[_i].folder);
    write_file(root, place, INCLUDES[_i].line);
    int status = check_layers(root);
    remove_file(root, place);
    for (size_t i = 0; i < COUNT_OF(HEADERS); i++) {
        remove_file(root, HEADERS[i]);
    }
    ck_assert_int_eq(access(root, F_OK), -1);
    ck_assert_int_eq(status, INCLUDES[_i].allowed ? 0 : 1);
}
END_TEST

START_TEST(no_sources_is_no_success) {
    capture_errors();
    ck_assert_int_eq(check_layers("/nonexistent"), 1);
}
END_TEST

TCase *layers_tests(void) {
    TCase *tests = unit_case("layers");
    tcase_add_test(tests, sources_keep_to_the_table);
    add_table_test(tests, sees_each_breach, INCLUDES);
    tcase_add_test(tests, no_sources_is_no_success);
    return tests;
}
