#include "unit.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Exit status of the script; what it prints goes to standard error. */
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

static const struct {
    const char *folder;
    const char *line; /* in a file of that folder; domain/money.h exists */
    bool allowed;
} INCLUDES[] = {
    {"store", "#include \"domain/money.h\"", true},
    {"domain", "#include \"domain/money.h\"", true},
    {"domain", "#include <string.h>", true},
    {"base", "#include \"domain/money.h\"", false},
    {"auth", "  #  include \"domain/money.h\"", false},
    {"edge", "#include \"domain/money.h\"", false},
    {"store", "#include \"domain/gone.h\"", false},
    {"store", "#include \"../domain/money.h\"", false},
    {"store", "#include MONEY_HEADER", false},
    {"store", "#include <mysql.h>", true},
    {"api", "#include <mysql/mysql.h>", false},
    {"domain", "#include <openssl/sha.h>", false},
    {"auth", "#include <openssl/sha.h>", true},
    {"api", "#include <json-c/json.h>", false},
    {"ctl", "#include <json-c/json.h>", false}, /* only in output.c */
    {"api", "#include <fcgi_stdio.h>", false},
    {"page", "#include <zint.h>", false}, /* only in symbol.c */
    {"page", "#include \"domain/money.h\"", true},
    {"fresh", "#include <string.h>", false},
};

static void write_file(const char *root, const char *folder, const char *name, const char *content) {
    char path[200];
    snprintf(path, sizeof path, "%s/src/%s", root, folder);
    ck_assert(mkdir(path, 0700) == 0 || access(path, W_OK) == 0);
    snprintf(path, sizeof path, "%s/src/%s/%s", root, folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "%s\n", content);
    fclose(file);
}

static void remove_file(const char *root, const char *folder, const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s/src/%s/%s", root, folder, name);
    unlink(path);
    snprintf(path, sizeof path, "%s/src/%s", root, folder);
    rmdir(path);
}

START_TEST(sees_each_breach) {
    char root[] = "/tmp/recaudo-unit-XXXXXX", sources[64];
    capture_errors();
    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(sources, sizeof sources, "%s/src", root);
    ck_assert_int_eq(mkdir(sources, 0700), 0);
    write_file(root, "domain", "money.h", "");
    write_file(root, INCLUDES[_i].folder, "new.c", INCLUDES[_i].line);
    int status = check_layers(root);
    remove_file(root, INCLUDES[_i].folder, "new.c");
    remove_file(root, "domain", "money.h");
    rmdir(sources);
    rmdir(root);
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
