#include "unit.h"

#include "base/config/config.h"

static struct config config;
static char error[CONFIG_ERROR_SIZE];

/* Lines 1 and 2 of every file below. */
#define START "[database]\nsocket = /run/db.sock\n"

static const struct {
    const char *content;
    int line; /* 0: the whole file */
    const char *words;
} MISTAKES[] = {
    {"", 0, "[database] needs either socket or host"},
    {START "host = db1\n", 0, "[database] needs either socket or host"},
    {START "colour = red\n", 3, "[database] colour is not a setting"},
    {START "processes = 8\n", 3, "[database] processes is not a setting"},
    {START "[nowhere]\nname = x\n", 4, "[nowhere] name is not a setting: there is no such section"},
    {"processes = 8\n" START, 1, "processes stands before the first [section]"},
    {START "Name = x\n", 3, "[database] Name is not a setting"},
    {START "name = a\nname = b\n", 4, "[database] name is set twice"},
    {START "[worker]\nprocesses = 8\n[log]\n[worker]\nprocesses = 8\n", 7, "[worker] processes is set twice"},
    {START "name =\n", 3, "[database] name is not valid: expected a text, not empty and not too long, found \"\""},
    {START "port = 0\n", 3, "[database] port is not valid: expected a number from 1 to 65535, found \"0\""},
    {START "port = 65536\n", 3, "port is not valid"},
    {START "port = -1\n", 3, "port is not valid"},
    {START "port = 33o6\n", 3, "port is not valid"},
    {START "port = 99999999999999999999\n", 3, "port is not valid"},
    {START "tls = on\n", 3, "[database] tls is not valid: expected verify, require or off, found \"on\""},
    {START "tls_key = /k\n", 0, "[database] tls_certificate and tls_key go together: give both or none"},
    {START "tls_certificate = /c\n", 0, "[database] tls_certificate and tls_key go together: give both or none"},
    {START "connect_timeout = 1.5s\n", 3, "connect_timeout is not valid"},
    {START "connect_timeout = 500ms\n", 3, "connect_timeout is not valid"},
    {START "connect_timeout = 1500ms\n", 3,
     "connect_timeout is not valid: expected whole seconds from 1s to 1m, found \"1500ms\""},
    {START "read_timeout = 5001ms\n", 3,
     "read_timeout is not valid: expected whole seconds from 1s to 1h, found \"5001ms\""},
    {START "connect_timeout = 61s\n", 3, "connect_timeout is not valid"},
    {START "connect_timeout = 1 s\n", 3, "connect_timeout is not valid"},
    {START "connect_timeout = 1w\n", 3, "connect_timeout is not valid"},
    {START "[worker]\nsocket_mode = 0999\n", 4, "socket_mode is not valid"},
    {START "[worker]\nsocket_mode = 01000\n", 4, "socket_mode is not valid"},
    {START "[worker]\nsocket_mode = 77777777777777777777777\n", 4, "socket_mode is not valid"},
    {START "[worker]\nsocket_mode = rw\n", 4, "socket_mode is not valid"},
    {START "[worker]\nprocesses = 65\n", 4, "processes is not valid"},
    {START "[worker]\npublic_base = https://pay.example.com\n", 4, "public_base is not valid"},
    {START "[worker]\npublic_base = pay.example.com/\n", 4, "public_base is not valid"},
    {START "[worker]\npublic_base = /pay\n", 4, "public_base is not valid"},
    {START "[worker]\npublic_base = pay.example.com?x=1\n", 4, "public_base is not valid"},
    {START "[worker]\npublic_base = pay example\n", 4, "public_base is not valid"},
    {START "[worker]\npublic_base =\n", 4, "public_base is not valid"},
    {START "[worker]\nconnections = 0\n", 4, "connections is not valid"},
    {START "[worker]\ncancel_window = 999ms\n", 4, "cancel_window is not valid"},
    {START "[worker]\ncancel_window = 61m\n", 4, "cancel_window is not valid"},
    {START "[dispatcher]\nbatch = 0\n", 4, "batch is not valid"},
    {START "[settlement]\nclose_at = 24:00\n", 4,
     "close_at is not valid: expected a time like 00:00, or off, found \"24:00\""},
    {START "[settlement]\nzone = America/Nowhere\n", 4,
     "zone is not valid: expected a time zone of this system like America/Bogota, found \"America/Nowhere\""},
    {START "[dispatcher]\nbatch = 10001\n", 4, "batch is not valid"},
    {START "[log]\nlevel = loud\n", 4, "level is not valid: expected error, warning, info or debug, found \"loud\""},
    {START "[notification]\nschedule = 10s 40d\n", 4,
     "schedule is not valid: expected durations with spaces between, each from 100ms to 31d, found \"10s 40d\""},
    {START "nonsense\n", 3, "neither a [section] nor key = value"},
    {START "[worker\nprocesses = 8\n", 3, "neither a [section] nor key = value"},
    {START "[\nprocesses = 8\n", 3, "neither a [section] nor key = value"},
    {START "[worker] # comment\nprocesses = 8\n", 3, "neither a [section] nor key = value"},
    {START "\xEF\xBB\xBF\n", 3, "neither a [section] nor key = value"},
    {START "= 8\n", 3, " is not a setting"},
    {START "colour = red\nshape = round\n", 3, "[database] colour is not a setting"},
    {START "nonsense\ncolour = red\n", 3, "neither a [section] nor key = value"},
};

START_TEST(refuses_with_file_and_line) {
    char expected[100];
    const char *path = file_with(MISTAKES[_i].content);
    ck_assert(!config_read(path, &config, error));
    if (MISTAKES[_i].line == 0) {
        snprintf(expected, sizeof expected, "%s: ", path);
    } else {
        snprintf(expected, sizeof expected, "%s:%d: ", path, MISTAKES[_i].line);
    }
    ck_assert_msg(text_begins(text_of(error), text_of(expected)), "'%s' does not begin with '%s'", error, expected);
    ck_assert_msg(strstr(error, MISTAKES[_i].words) != NULL, "'%s' does not say '%s'", error, MISTAKES[_i].words);
}
END_TEST

/* Passwords are in files of their own. A password that was put here by mistake must not be logged. */
START_TEST(does_not_repeat_what_is_no_setting) {
    ck_assert(!config_read(file_with(START "worker_password = hunter2\n"), &config, error));
    ck_assert_ptr_nonnull(strstr(error, ":3: [database] worker_password is not a setting"));
    ck_assert_ptr_null(strstr(error, "hunter2"));
}
END_TEST

/* Otherwise the text after the NUL would be silently ignored. */
START_TEST(refuses_a_line_with_a_nul) {
    static const char CONTENT[] = START "name = recaudo\0_test\n";
    ck_assert(!config_read(file_with_bytes(CONTENT, sizeof CONTENT - 1), &config, error));
    ck_assert_ptr_nonnull(strstr(error, ":3: neither a [section] nor key = value"));
}
END_TEST

START_TEST(refuses_a_file_that_is_not_there) {
    ck_assert(!config_read("/nonexistent/recaudo.conf", &config, error));
    ck_assert_str_eq(error, "/nonexistent/recaudo.conf: No such file or directory");
}
END_TEST

START_TEST(refuses_what_is_no_file) {
    ck_assert(!config_read("/", &config, error));
    ck_assert_str_eq(error, "/: Is a directory");
}
END_TEST

START_TEST(refuses_a_text_that_is_too_long) {
    char content[400];
    snprintf(content, sizeof content, START "name = %065d\n", 0);
    ck_assert(!config_read(file_with(content), &config, error));
    ck_assert_ptr_nonnull(strstr(error, ":3: [database] name is not valid: expected "));
}
END_TEST

START_TEST(long_paths_are_read_whole) {
    char content[1200], expected[1000];
    snprintf(expected, sizeof expected, "/%0900d", 0);
    snprintf(content, sizeof content, START "[security]\nkey_file = %s\n", expected);
    ck_assert_msg(config_read(file_with(content), &config, error), "%s", error);
    ck_assert_str_eq(config.security.key_file, expected);
    config_free(&config);
}
END_TEST

/* Neither its value nor a repetition matters any longer. */
START_TEST(removed_settings_are_told_of_and_have_no_effect) {
    ck_assert_msg(config_read(file_with(START "[worker]\nthreads = many\nthreads = 4\n"), &config, error), "%s", error);
    ck_assert_ptr_nonnull(strstr(config.removed, "[worker] threads is no longer a setting"));
    config_free(&config);
    ck_assert_msg(config_read(file_with(START "[external_query]\nshared_file = /run/q\n"), &config, error), "%s",
                  error);
    ck_assert_ptr_nonnull(strstr(config.removed, "[external_query] shared_file is no longer a setting"));
    config_free(&config);
    ck_assert(!config_read(file_with(START "threads = 4\n"), &config, error));
    ck_assert_ptr_nonnull(strstr(error, ":3: [database] threads is not a setting"));
}
END_TEST

START_TEST(defaults) {
    ck_assert_msg(config_read(file_with(START), &config, error), "%s", error);
    ck_assert_str_eq(config.database.socket, "/run/db.sock");
    ck_assert_ptr_null(config.database.host);
    ck_assert_uint_eq(config.database.port, 3306);
    ck_assert_int_eq(config.database.tls, TLS_VERIFY);
    ck_assert_ptr_null(config.database.tls_ca);
    ck_assert_str_eq(config.database.worker.user, "recaudo_worker");
    ck_assert_ptr_null(config.database.worker.password_file);
    ck_assert_int_eq(config.database.connect_timeout, SECOND);
    ck_assert_int_eq(config.database.read_timeout, 5 * SECOND);
    ck_assert_uint_eq(config.worker.socket_mode, 0660);
    ck_assert_uint_eq(config.worker.processes, 1);
    ck_assert_uint_eq(config.worker.connections, 8);
    ck_assert_int_eq(config.worker.cancel_window, 30 * SECOND);
    ck_assert_uint_eq(config.dispatcher.batch, 500);
    ck_assert_int_eq(config.log.level, LOG_INFO);
    ck_assert_ptr_null(config.removed);
    config_free(&config);
    ck_assert_ptr_null(config.database.socket);
}
END_TEST

static const char FULL[] = "# a comment\n"
                           "; another\n"
                           "\n"
                           "[database]\n"
                           "host = db1.example db2.example:3308\n"
                           "port=3307\n"
                           "  name   =   pay ments\n"
                           "tls = require\n"
                           "tls_ca = /ca.pem\n"
                           "tls_certificate = /own.pem\n"
                           "tls_key = /own.key\n"
                           "connect_timeout = 2\n"
                           "read_timeout = 7000ms\n"
                           "[worker]\n"
                           "socket_mode = 600\n"
                           "service_name = Caja = Ñandú # 1\n"
                           "public_base = [::1]:8443/a/b\n"
                           "cancel_window = 1500ms\n"
                           "[settlement]\n"
                           "close_at = 18:30\n"
                           "zone = America/Bogota\n"
                           "[log]\n"
                           "level = debug\n";

START_TEST(reads_what_stands_there) {
    ck_assert_msg(config_read(file_with(FULL), &config, error), "%s", error);
    ck_assert_ptr_null(config.database.socket);
    ck_assert_str_eq(config.database.host, "db1.example db2.example:3308");
    ck_assert_uint_eq(config.database.port, 3307);
    ck_assert_str_eq(config.database.name, "pay ments");
    ck_assert_int_eq(config.database.tls, TLS_REQUIRE);
    ck_assert_str_eq(config.database.tls_ca, "/ca.pem");
    ck_assert_str_eq(config.database.tls_certificate, "/own.pem");
    ck_assert_str_eq(config.database.tls_key, "/own.key");
    ck_assert_int_eq(config.database.connect_timeout, 2 * SECOND);
    ck_assert_int_eq(config.database.read_timeout, 7 * SECOND);
    ck_assert_uint_eq(config.worker.socket_mode, 0600);
    ck_assert_str_eq(config.worker.service_name, "Caja = Ñandú # 1");
    ck_assert_str_eq(config.worker.public_base, "[::1]:8443/a/b");
    ck_assert_int_eq(config.worker.cancel_window, 1500 * MILLISECOND);
    ck_assert_int_eq(config.log.level, LOG_DEBUG);
    config_free(&config);
}
END_TEST

/* Comments need lines of their own, so that no value is ever cut. */
START_TEST(a_semicolon_in_a_value_stays) {
    ck_assert_msg(config_read(file_with(START "[worker]\nservice_name = a ;b\n"), &config, error), "%s", error);
    ck_assert_str_eq(config.worker.service_name, "a ;b");
    config_free(&config);
}
END_TEST

static void append(void *context, const char *section, const char *key, const char *value) {
    char *all = context;
    size_t used = strlen(all);
    snprintf(all + used, 4096 - used, "%s.%s=%s\n", section, key, value);
}

START_TEST(shows_every_setting_as_it_would_be_written) {
    char all[4096] = "";
    ck_assert_msg(config_read(file_with(FULL), &config, error), "%s", error);
    config_each(&config, append, all);
    static const char *const LINES[] = {"database.socket=\n",
                                        "database.host=db1.example db2.example:3308\n",
                                        "database.port=3307\n",
                                        "database.owner_user=root\n",
                                        "database.tls=require\n",
                                        "database.tls_ca=/ca.pem\n",
                                        "database.connect_timeout=2s\n",
                                        "worker.socket_mode=0600\n",
                                        "worker.cancel_window=1500ms\n",
                                        "dispatcher.rest_longest=1m\n",
                                        "settlement.close_at=18:30\n",
                                        "settlement.zone=America/Bogota\n",
                                        "retention.begin_at=03:30\n",
                                        "retention.queries=90d\n",
                                        "retention.personal=off\n",
                                        "log.level=debug\n"};
    for (size_t i = 0; i < COUNT_OF(LINES); i++) {
        ck_assert_msg(strstr(all, LINES[i]) != NULL, "%s is missing in\n%s", LINES[i], all);
    }
    config_free(&config);
}
END_TEST

static const struct {
    const char *text;
    bool valid;
    duration value;
} DURATIONS[] = {
    {"0", true, 0},
    {"30", true, 30 * SECOND},
    {"30s", true, 30 * SECOND},
    {"250ms", true, 250 * MILLISECOND},
    {"5m", true, 5 * MINUTE},
    {"2h", true, 2 * HOUR},
    {"31d", true, 31 * DAY},
    {"106751991d", true, 106751991 * DAY},
    {"106751992d", false, 0},
    {"9223372036854775808ms", false, 0},
    {"", false, 0},
    {"s", false, 0},
    {"-1s", false, 0},
    {"1.5s", false, 0},
    {"1 s", false, 0},
    {"1S", false, 0},
    {"1sec", false, 0},
    {"1us", false, 0},
};

START_TEST(reads_durations) {
    duration value = 77;
    ck_assert(config_parse_duration(text_of(DURATIONS[_i].text), &value) == DURATIONS[_i].valid);
    ck_assert(!DURATIONS[_i].valid || value == DURATIONS[_i].value);
}
END_TEST

START_TEST(finds_the_path) {
    setenv("RECAUDO_CONFIG", "/from/environment", 1);
    ck_assert_str_eq(config_path("/from/option"), "/from/option");
    ck_assert_str_eq(config_path(NULL), "/from/environment");
    setenv("RECAUDO_CONFIG", "", 1);
    const char *standard = config_path(NULL);
    ck_assert_ptr_nonnull(strstr(standard, "/recaudo/recaudo.conf"));
    unsetenv("RECAUDO_CONFIG");
    ck_assert_str_eq(config_path(NULL), standard);
}
END_TEST

TCase *config_tests(void) {
    TCase *tests = unit_case("config");
    add_table_test(tests, refuses_with_file_and_line, MISTAKES);
    tcase_add_test(tests, does_not_repeat_what_is_no_setting);
    tcase_add_test(tests, refuses_a_line_with_a_nul);
    tcase_add_test(tests, refuses_a_file_that_is_not_there);
    tcase_add_test(tests, refuses_what_is_no_file);
    tcase_add_test(tests, refuses_a_text_that_is_too_long);
    tcase_add_test(tests, long_paths_are_read_whole);
    tcase_add_test(tests, removed_settings_are_told_of_and_have_no_effect);
    tcase_add_test(tests, defaults);
    tcase_add_test(tests, reads_what_stands_there);
    tcase_add_test(tests, a_semicolon_in_a_value_stays);
    tcase_add_test(tests, shows_every_setting_as_it_would_be_written);
    add_table_test(tests, reads_durations, DURATIONS);
    tcase_add_test(tests, finds_the_path);
    return tests;
}
