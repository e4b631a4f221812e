#include "store.h"

#include "store/db/connection_private.h"
#include "store/party/networks.h"
#include "unit/files.h"

#include <errmsg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct config changed;

static enum status open_changed(void) {
    struct connection *connection;
    capture_errors();
    enum status status = database_open(&changed, WORKER, false, &connection);
    if (status == STATUS_OK) {
        connection_close(connection);
    }
    return status;
}

START_TEST(each_account_logs_in) {
    struct connection *connection = database_connect((enum db_account)_i);
    ck_assert(connection_is_usable(connection));
    ck_assert_int_eq(connection_probe(connection), STATUS_OK);
    connection_close(connection);
}
END_TEST

static const char *session_value(const char *variable) {
    char query[100];
    snprintf(query, sizeof query, "SELECT @@SESSION.%s", variable);
    ck_assert_int_eq(mysql_query(owner->mysql, query), 0);
    MYSQL_RES *rows = mysql_store_result(owner->mysql);
    const char *value = arena_copy(arena, text_of(mysql_fetch_row(rows)[0])).at;
    mysql_free_result(rows);
    return value;
}

static const struct {
    const char *variable, *value;
} SESSION[] = {
    {"time_zone", "+00:00"},
    {"tx_isolation", "READ-COMMITTED"},
    {"innodb_lock_wait_timeout", "4"},
    {"autocommit", "1"},
    {"join_cache_level", "0"},
    {"sql_mode", "STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"},
    {"character_set_client", "utf8mb4"},
};

START_TEST(session_is_as_promised) {
    ck_assert_str_eq(session_value(SESSION[_i].variable), SESSION[_i].value);
}
END_TEST

START_TEST(the_server_cannot_ask_for_files) {
    capture_errors();
    ck_assert_int_ne(mysql_query(owner->mysql, "LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE networks (name)"), 0);
}
END_TEST

START_TEST(a_wrong_password_is_a_fault) {
    changed = config;
    changed.database.worker.password_file = (char *)(uintptr_t)file_with("unheard-of\n");
    ck_assert_int_eq(open_changed(), STATUS_FAULT);
    ck_assert_ptr_nonnull(strstr(errors_text(), "cannot connect as recaudo_worker"));
    ck_assert_ptr_null(strstr(errors_text(), "unheard-of"));
}
END_TEST

START_TEST(no_password_file_is_a_fault) {
    changed = config;
    changed.database.worker.password_file = (char *)(uintptr_t)"/nonexistent/password";
    ck_assert_int_eq(open_changed(), STATUS_FAULT);
    ck_assert_ptr_nonnull(strstr(errors_text(), "/nonexistent/password"));
}
END_TEST

static const struct {
    mode_t mode;
    const char *complaint;
} MODES[] = {
    {0604, "others may read or change"},        {0602, "others may read or change"},
    {0660, "others may read or change"},        {0644, "chmod g-wx,o= it"},
    {0640, "cannot connect as recaudo_worker"},
};

START_TEST(a_password_file_is_closed_to_others) {
    changed = config;
    changed.database.worker.password_file = (char *)(uintptr_t)file_with("wrong\n");
    ck_assert_int_eq(chmod(changed.database.worker.password_file, MODES[_i].mode), 0);
    ck_assert_int_eq(open_changed(), STATUS_FAULT);
    ck_assert_msg(strstr(errors_text(), MODES[_i].complaint) != NULL, "%s", errors_text());
}
END_TEST

START_TEST(a_password_file_that_cannot_be_read_whole) {
    char words[513] = "", folder[] = "/tmp/recaudo-password-XXXXXX";
    memset(words, 'a', sizeof words - 1);
    changed = config;
    changed.database.worker.password_file = (char *)(uintptr_t)file_with(words);
    ck_assert_int_eq(open_changed(), STATUS_FAULT);
    ck_assert_ptr_nonnull(strstr(errors_text(), "its line is too long"));
    changed.database.worker.password_file = mkdtemp(folder);
    ck_assert_ptr_nonnull(changed.database.worker.password_file);
    ck_assert_int_eq(open_changed(), STATUS_FAULT);
    ck_assert_ptr_nonnull(strstr(errors_text(), "Is a directory"));
    rmdir(folder);
}
END_TEST

START_TEST(no_such_database_is_a_fault) {
    changed = config;
    changed.database.name = (char *)(uintptr_t)"recaudo_nowhere";
    ck_assert_int_eq(open_changed(), STATUS_FAULT);
}
END_TEST

START_TEST(no_server_is_away) {
    changed = config;
    changed.database.socket = (char *)(uintptr_t)"/nonexistent/db.sock";
    ck_assert_int_eq(open_changed(), STATUS_AWAY);
}
END_TEST

START_TEST(a_server_that_says_nothing_is_away_in_time) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/recaudo-silent-%d.sock", (int)getpid());
    int silent = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(silent, (const struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(silent, 10), 0);
    changed = config;
    changed.database.socket = address.sun_path;
    duration began = clock_monotonic();
    enum status status = open_changed();
    duration took = clock_monotonic() - began;
    close(silent);
    unlink(address.sun_path);
    ck_assert_int_eq(status, STATUS_AWAY);
    ck_assert_int_lt(took, config.database.connect_timeout + 10 * SECOND);
}
END_TEST

START_TEST(knows_whether_a_transaction_is_open) {
    ck_assert(!connection_in_transaction(owner));
    ck_assert_int_eq(mysql_query(owner->mysql, "START TRANSACTION"), 0);
    ck_assert(connection_in_transaction(owner));
    ck_assert_int_eq(mysql_query(owner->mysql, "ROLLBACK"), 0);
    ck_assert(!connection_in_transaction(owner));
}
END_TEST

/* Errors of the client library when a connection breaks. If it was sending COMMIT, the server may have committed. */
static const unsigned BREAKING_OFF[] = {
    CR_SERVER_LOST,  CR_SERVER_LOST_EXTENDED, CR_SSL_CONNECTION_ERROR, CR_MALFORMED_PACKET,
    CR_ERR_NET_READ, CR_ERR_NET_WRITE,        CR_ERR_NET_UNCOMPRESS,
};

START_TEST(a_link_that_breaks_off_leaves_the_outcome_open) {
    struct connection connection = {.server = 0};
    ck_assert_int_eq(connection_judge_error(&connection, BREAKING_OFF[_i], true), STATUS_UNSURE);
    ck_assert(!connection_is_usable(&connection));
    ck_assert_int_eq(connection_judge_error(&connection, BREAKING_OFF[_i], false), STATUS_AWAY);
}
END_TEST

START_TEST(a_killed_connection_is_lost_and_stays_so) {
    struct connection *worker = database_connect(WORKER);
    struct party_row network;
    capture_errors();
    sample_network("Red Norte");
    ck_assert_int_eq(networks_find(worker, TEXT("Red Norte"), arena, &network), STATUS_OK);
    database_kill(database_thread_id(worker));
    enum status status = networks_find(worker, TEXT("Red Norte"), arena, &network);
    ck_assert(status == STATUS_AWAY || status == STATUS_UNSURE);
    ck_assert(!connection_is_usable(worker));
    ck_assert_int_eq(networks_find(worker, TEXT("Red Norte"), arena, &network), STATUS_AWAY);
    ck_assert_int_eq(connection_probe(worker), STATUS_AWAY);
    connection_close(worker);
}
END_TEST

TCase *connection_tests(void) {
    TCase *tests = database_case("connection");
    tcase_add_loop_test(tests, each_account_logs_in, OWNER, READER);
    add_table_test(tests, session_is_as_promised, SESSION);
    tcase_add_test(tests, the_server_cannot_ask_for_files);
    tcase_add_test(tests, a_wrong_password_is_a_fault);
    tcase_add_test(tests, no_password_file_is_a_fault);
    add_table_test(tests, a_password_file_is_closed_to_others, MODES);
    tcase_add_test(tests, a_password_file_that_cannot_be_read_whole);
    tcase_add_test(tests, no_such_database_is_a_fault);
    tcase_add_test(tests, no_server_is_away);
    tcase_add_test(tests, a_server_that_says_nothing_is_away_in_time);
    tcase_add_test(tests, knows_whether_a_transaction_is_open);
    tcase_add_test(tests, a_killed_connection_is_lost_and_stays_so);
    tcase_add_loop_test(tests, a_link_that_breaks_off_leaves_the_outcome_open, 0, COUNT_OF(BREAKING_OFF));
    return tests;
}
