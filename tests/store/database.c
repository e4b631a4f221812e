#include "database.h"

#include "store/db/connection_private.h"
#include "store/db/sql.h"
#include "store/schema/schema.h"

#include <mysqld_error.h>
#include <stdarg.h>

struct config config;
struct arena *arena;
struct connection *owner;

static MYSQL *plain;

/* The configuration has no setting for the reader, because no program logs in with that account. Its password is set
 * here. */
#define READER_PASSWORD "reader of the tests"

static const struct account_config reader = {(char *)"recaudo_reader", NULL};

static const struct account_config *account_of(const struct config *of, enum db_account account) {
    const struct account_config *const accounts[ACCOUNT_COUNT] = {&of->database.owner, &of->database.worker,
                                                                  &of->database.dispatcher, &of->database.deliverer,
                                                                  &of->database.operator, &reader,
                                                                  &of->database.console};
    return accounts[account];
}

enum status database_open(const struct config *of, enum db_account account, bool any_schema, struct connection **out) {
    const struct connection_options options = {.config = of, .account = account_of(of, account)};
    return (any_schema ? connection_open : schema_connect)(&options, out);
}

struct connection *database_connect(enum db_account account) {
    struct connection *connection = NULL;
    ck_assert_int_eq(database_open(&config, account, false, &connection), STATUS_OK);
    return connection;
}

static void read_password(const struct account_config *account, char *password, size_t size) {
    FILE *from = account->password_file == NULL ? NULL : fopen(account->password_file, "r");
    snprintf(password, size, "%s", account == &reader ? READER_PASSWORD : "");
    if (from != NULL) {
        ck_assert_ptr_nonnull(fgets(password, (int)size, from));
        password[strcspn(password, "\n")] = '\0';
        fclose(from);
    }
}

MYSQL *database_login(enum db_account account) {
    const struct account_config *as = account_of(&config, account);
    char password[200];
    MYSQL *mysql = mysql_init(NULL);
    ck_assert_ptr_nonnull(mysql);
    read_password(as, password, sizeof password);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options(mysql, MYSQL_INIT_COMMAND, "SET SESSION time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'");
    ck_assert_msg(mysql_real_connect(mysql, config.database.host, as->user, password, config.database.name,
                                     (unsigned)config.database.port, config.database.socket,
                                     CLIENT_FOUND_ROWS | CLIENT_MULTI_STATEMENTS) != NULL,
                  "%s: %s", as->user, mysql_error(mysql));
    return mysql;
}

static unsigned run(MYSQL *mysql, const char *format, va_list values) {
    char *sql;
    ck_assert_int_ge(vasprintf(&sql, format, values), 0);
    int outcome = mysql_query(mysql, sql);
    while (outcome == 0) {
        mysql_free_result(mysql_store_result(mysql));
        outcome = mysql_next_result(mysql);
    }
    free(sql);
    return outcome > 0 ? mysql_errno(mysql) : 0;
}

unsigned database_error(MYSQL *mysql, const char *format, ...) {
    va_list values;
    va_start(values, format);
    unsigned error = run(mysql, format, values);
    va_end(values);
    return error;
}

void database_run(const char *format, ...) {
    va_list values;
    va_start(values, format);
    unsigned error = run(plain, format, values);
    va_end(values);
    ck_assert_msg(error == 0, "%s: %s", format, mysql_error(plain));
}

static const char *first_value(const char *format, va_list values) {
    char *sql;
    ck_assert_int_ge(vasprintf(&sql, format, values), 0);
    ck_assert_msg(mysql_query(plain, sql) == 0, "%s: %s", sql, mysql_error(plain));
    free(sql);
    MYSQL_RES *rows = mysql_store_result(plain);
    ck_assert_ptr_nonnull(rows);
    MYSQL_ROW row = mysql_fetch_row(rows);
    const char *value = row == NULL || row[0] == NULL ? NULL : arena_copy(arena, text_of(row[0])).at;
    mysql_free_result(rows);
    return value;
}

const char *database_text(const char *format, ...) {
    va_list values;
    va_start(values, format);
    const char *value = first_value(format, values);
    va_end(values);
    return value;
}

uint64_t database_number(const char *format, ...) {
    uint64_t number = 0;
    va_list values;
    va_start(values, format);
    const char *value = first_value(format, values);
    va_end(values);
    ck_assert_msg(value != NULL && text_to_number(text_of(value), &number), "%s gives %s", format, value);
    return number;
}

instant database_instant(const char *sql) {
    return (instant)database_number("SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', %s)", sql);
}

bool database_is_denial(unsigned error) {
    static const unsigned DENIALS[] = {ER_TABLEACCESS_DENIED_ERROR,     ER_COLUMNACCESS_DENIED_ERROR,
                                       ER_DBACCESS_DENIED_ERROR,        ER_ACCESS_DENIED_ERROR,
                                       ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_PROCACCESS_DENIED_ERROR};
    for (size_t i = 0; i < COUNT_OF(DENIALS); i++) {
        if (DENIALS[i] == error) {
            return true;
        }
    }
    return false;
}

void database_stop_clock(struct connection *connection, const char *moment) {
    struct text statement = arena_print(arena, "SET timestamp = UNIX_TIMESTAMP(%s)", moment);
    ck_assert_int_eq(sql_script(connection, "clock", statement), STATUS_OK);
}

unsigned long database_thread_id(struct connection *connection) {
    return mysql_thread_id(connection->mysql);
}

void database_send(MYSQL *mysql, const char *query) {
    ck_assert_int_eq(mysql_send_query(mysql, query, strlen(query)), 0);
}

const char *database_answer(MYSQL *mysql, const char *query) {
    MYSQL_RES *result = mysql_read_query_result(mysql) == 0 ? mysql_store_result(mysql) : NULL;
    if (result == NULL && mysql_errno(mysql) == ER_CHECKREAD) {
        database_send(mysql, query);
        result = mysql_read_query_result(mysql) == 0 ? mysql_store_result(mysql) : NULL;
    }
    ck_assert_msg(result != NULL, "%s: %s", query, mysql_error(mysql));
    MYSQL_ROW row = mysql_fetch_row(result);
    const char *answer = row == NULL || row[0] == NULL ? NULL : arena_print(arena, "%s", row[0]).at;
    mysql_free_result(result);
    return answer;
}

void database_wait_for(const char *query) {
    static const struct timespec PAUSE = {.tv_nsec = 2000000};
    duration until = clock_monotonic() + 30 * SECOND;
    while (database_number("%s", query) == 0) {
        ck_assert_msg(clock_monotonic() < until, "never true: %s", query);
        nanosleep(&PAUSE, NULL);
    }
}

void database_kill(unsigned long thread_id) {
    char gone[100];
    database_run("KILL CONNECTION %lu", thread_id);
    snprintf(gone, sizeof gone, "SELECT COUNT(*) = 0 FROM information_schema.processlist WHERE id = %lu", thread_id);
    database_wait_for(gone);
}

static void migrate(void) {
    static const struct text GIVE_PASSWORD =
        TEXT("SET PASSWORD FOR recaudo_reader@localhost = PASSWORD('" READER_PASSWORD "')");
    struct connection *connection;
    struct schema_report report = {.applied = 0};
    struct arena *memory = arena_create();
    bool migrated = database_open(&config, OWNER, true, &connection) == STATUS_OK &&
                    schema_migrate(connection, &config, memory, &report) == STATUS_OK &&
                    sql_script(connection, "reader", GIVE_PASSWORD) == STATUS_OK;
    if (!migrated) {
        fputs("the schema could not be made\n", stderr);
        exit(EXIT_FAILURE);
    }
    connection_close(connection);
    arena_destroy(memory);
}

void database_prepare(void) {
    char error[CONFIG_ERROR_SIZE];
    if (getenv("RECAUDO_CONFIG") == NULL || !config_read(config_path(NULL), &config, error)) {
        fputs("run this program with tests/with-mariadb\n", stderr);
        exit(EXIT_FAILURE);
    }
    migrate();
}

static void set_up(void) {
    arena = arena_create();
    plain = database_login(OWNER);
    owner = database_connect(OWNER);
}

/* DELETE is a hundred times faster than TRUNCATE, but fails if a trigger protects a row. */
static void empty_tables(void) {
    static const struct {
        const char *quickly, *wholly;
    } TABLES[] = {{"DELETE FROM orders", EMPTY_TABLE("orders")},
                  {"DELETE FROM transactions", EMPTY_TABLE("transactions")},
                  {"DELETE FROM notifications", EMPTY_TABLE("notifications")},
                  {"DELETE FROM accounts", EMPTY_TABLE("accounts")},
                  {"DELETE FROM integrations", EMPTY_TABLE("integrations")},
                  {"DELETE FROM console_users", EMPTY_TABLE("console_users")},
                  {"DELETE FROM merchants", EMPTY_TABLE("merchants")},
                  {"DELETE FROM networks", EMPTY_TABLE("networks")}};
    for (size_t i = 0; i < COUNT_OF(TABLES); i++) {
        if (database_error(plain, "%s", TABLES[i].quickly) != 0) {
            database_run("%s", TABLES[i].wholly);
        }
    }
}

static void set_up_empty(void) {
    set_up();
    database_run("DELETE FROM attempts; DELETE FROM reference_prefixes; DELETE FROM reference_owners;"
                 "DELETE FROM network_limits; DELETE FROM network_rooms");
    empty_tables();
}

static void tear_down(void) {
    connection_close(owner);
    mysql_close(plain);
    arena_destroy(arena);
}

static TCase *new_case(const char *name, void (*begin)(void)) {
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, begin, tear_down);
    tcase_set_timeout(tests, 180);
    return tests;
}

TCase *database_case(const char *name) {
    return new_case(name, set_up_empty);
}

TCase *database_filled_case(const char *name, void (*fill)(void), void (*empty)(void)) {
    TCase *tests = new_case(name, set_up);
    tcase_add_unchecked_fixture(tests, fill, empty);
    return tests;
}
