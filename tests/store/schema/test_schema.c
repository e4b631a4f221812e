#include "store.h"

#include "store/db/connection_private.h"
#include "store/schema/migration_lock.h"
#include "store/schema/schema.h"
#include "unit/files.h"

#include <inttypes.h>
#include <pthread.h>

/* Migrations run on a database of their own, beside the one of the other tests. */
static struct config fresh;
static struct connection *first;

static void set_up(void) {
    database_run("DROP DATABASE IF EXISTS recaudo_fresh;"
                 "CREATE DATABASE recaudo_fresh CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin");
    fresh = config;
    fresh.database.name = (char *)(uintptr_t)"recaudo_fresh";
    ck_assert_int_eq(database_open(&fresh, OWNER, true, &first), STATUS_OK);
}

static void tear_down(void) {
    connection_close(first);
    database_run("DROP DATABASE recaudo_fresh");
}

/* As the end of a program does. */
static void release(struct connection *connection) {
    ck_assert_int_eq(mysql_query(connection->mysql, "DO RELEASE_ALL_LOCKS()"), 0);
}

static enum status migrate(unsigned *applied) {
    struct schema_report report = {.applied = 0};
    enum status status = schema_migrate(first, &fresh, arena, &report);
    *applied = report.applied;
    return status;
}

static void migrate_all(void) {
    unsigned applied;
    ck_assert_int_eq(migrate(&applied), STATUS_OK);
    ck_assert_uint_eq(applied, 1);
}

START_TEST(migrates_an_empty_database_once) {
    unsigned version, applied;
    ck_assert_uint_ge(schema_known_version(), 1);
    migrate_all();
    ck_assert_int_eq(schema_version(first, &version), STATUS_OK);
    ck_assert_uint_eq(version, schema_known_version());
    ck_assert_int_eq(schema_check(first), STATUS_OK);
    ck_assert_int_eq(migrate(&applied), STATUS_OK);
    ck_assert_uint_eq(applied, 0);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM recaudo_fresh.schema_version WHERE applied_at >= started_at"), 1);
}
END_TEST

START_TEST(a_database_without_migrations_is_not_the_known_one) {
    struct connection *connection;
    capture_errors();
    ck_assert_int_ne(database_open(&fresh, OWNER, false, &connection), STATUS_OK);
    ck_assert_int_eq(schema_check(first), STATUS_FAULT);
}
END_TEST

/* Damage to the table of migrations, and the words of the refusal. */
static const struct {
    const char *damage;
    const char *migrate_says, *open_says; /* NULL: it is not refused */
} DAMAGES[] = {
    {"UPDATE recaudo_fresh.schema_version SET checksum = REPEAT('0', 64)", "is not one that this program knows", NULL},
    {"UPDATE recaudo_fresh.schema_version SET name = '0011_totals.sql'", "is not one that this program knows", NULL},
    {"UPDATE recaudo_fresh.schema_version SET applied_at = NULL", NULL,
     "a migration began and did not end: wait while it runs; if it was killed, or lost the database, run `recaudoctl "
     "db migrate` again, which goes on"},
    {"UPDATE recaudo_fresh.schema_version SET version = 10, name = '0010_network_limits.sql', applied_at = NULL,"
     " checksum = 'f9ba0dd091f3f74615ab0683a09bae0cb8fb6cb3a5ddce0f386f9b641cc18074'",
     "migration 0010_network_limits.sql began and did not end, and is of another release: run `recaudoctl db migrate` "
     "of that one, or restore the backup made before it",
     "a migration began and did not end"},
    {"UPDATE recaudo_fresh.schema_version SET version = 10, name = '0010_network_limits.sql',"
     " checksum = 'f9ba0dd091f3f74615ab0683a09bae0cb8fb6cb3a5ddce0f386f9b641cc18074'",
     "version 10 was never released", "run `recaudoctl db migrate`"},
    {"INSERT INTO recaudo_fresh.schema_version (version, name, checksum, applied_at)"
     " SELECT MAX(version) + 1, '9999_future.sql', REPEAT('0', 64), UTC_TIMESTAMP(6) FROM recaudo_fresh.schema_version",
     "is not one that this program knows", "install the newer program"},
    {"UPDATE recaudo_fresh.schema_version SET version = version + 1 ORDER BY version DESC",
     "is not one that this program knows", "install the newer program"},
    {"DELETE FROM recaudo_fresh.schema_version ORDER BY version DESC LIMIT 1", NULL, "run `recaudoctl db migrate`"},
};

START_TEST(refuses_what_is_not_its_schema) {
    unsigned applied = 77;
    struct connection *connection;
    migrate_all();
    database_run("%s", DAMAGES[_i].damage);
    capture_errors();
    if (DAMAGES[_i].open_says != NULL) {
        ck_assert_int_eq(database_open(&fresh, OWNER, false, &connection), STATUS_FAULT);
        ck_assert_ptr_nonnull(strstr(errors_text(), DAMAGES[_i].open_says));
    }
    if (DAMAGES[_i].migrate_says != NULL) {
        ck_assert_int_eq(migrate(&applied), STATUS_FAULT);
        ck_assert_uint_eq(applied, 0);
        ck_assert_ptr_nonnull(strstr(errors_text(), DAMAGES[_i].migrate_says));
    }
}
END_TEST

/* Of names that the migration gives to a table, to a view with the rights of its reader and to one of its owner. */
static const struct {
    const char *name, *create, *drop;
} OTHERS[] = {
    {"seals", "CREATE TABLE recaudo_fresh.seals (id INT)", "DROP TABLE recaudo_fresh.seals"},
    {"orders_now", "CREATE VIEW recaudo_fresh.orders_now AS SELECT 7", "DROP VIEW recaudo_fresh.orders_now"},
    {"events", "CREATE TABLE recaudo_fresh.events (id INT)", "DROP TABLE recaudo_fresh.events"},
};

START_TEST(tables_of_others_are_found_before_the_migration_begins) {
    unsigned applied;
    char told[120];
    database_run("%s", OTHERS[_i].create);
    capture_errors();
    ck_assert_int_eq(migrate(&applied), STATUS_FAULT);
    ck_assert_uint_eq(applied, 0);
    snprintf(told, sizeof told, "nothing was changed: it makes a table or view %s, and the database has another",
             OTHERS[_i].name);
    ck_assert_ptr_nonnull(strstr(errors_text(), told));
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM recaudo_fresh.schema_version"), 0);
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'recaudo_fresh'"), 2);
    ck_assert_int_eq(migrate(&applied), STATUS_FAULT);
    database_run("%s", OTHERS[_i].drop);
    migrate_all();
}
END_TEST

/* A migration would replace a routine, in whichever letters, and fail at a trigger. */
static const struct {
    const char *create, *drop, *told;
} PROGRAMS[] = {
    {"CREATE FUNCTION recaudo_fresh.Write_Try () RETURNS INT RETURN 7", "DROP FUNCTION recaudo_fresh.Write_Try",
     "FUNCTION write_try"},
    {"CREATE PROCEDURE recaudo_fresh.ids_skip () SELECT 7", "DROP PROCEDURE recaudo_fresh.ids_skip",
     "PROCEDURE ids_skip"},
    {"CREATE TABLE recaudo_fresh.tree (id INT);"
     "CREATE TRIGGER recaudo_fresh.orders_guard BEFORE UPDATE ON recaudo_fresh.tree FOR EACH ROW SET NEW.id = 7",
     "DROP TABLE recaudo_fresh.tree", "TRIGGER orders_guard"},
};

START_TEST(programs_of_others_are_found_before_the_migration_begins) {
    unsigned applied;
    char told[120];
    database_run("%s", PROGRAMS[_i].create);
    capture_errors();
    ck_assert_int_eq(migrate(&applied), STATUS_FAULT);
    snprintf(told, sizeof told, "nothing was changed: the database has programs of names that it makes: %s: drop",
             PROGRAMS[_i].told);
    ck_assert_ptr_nonnull(strstr(errors_text(), told));
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM recaudo_fresh.schema_version"), 0);
    database_run("%s", PROGRAMS[_i].drop);
    migrate_all();
}
END_TEST

/* The name of a foreign key stands once in a database. */
START_TEST(a_migration_that_failed_goes_on) {
    unsigned applied;
    database_run("CREATE TABLE recaudo_fresh.tree (id INT PRIMARY KEY, parent INT,"
                 " CONSTRAINT item_settlement FOREIGN KEY (parent) REFERENCES tree (id))");
    capture_errors();
    ck_assert_int_eq(migrate(&applied), STATUS_FAULT);
    ck_assert_uint_eq(applied, 0);
    ck_assert_ptr_nonnull(strstr(errors_text(), "database: migration: "));
    ck_assert_uint_eq(database_number("SELECT COUNT(*) FROM recaudo_fresh.schema_version WHERE applied_at IS NULL"), 1);
    ck_assert_int_eq(migrate(&applied), STATUS_FAULT);
    database_run("DROP TABLE recaudo_fresh.tree");
    migrate_all();
    ck_assert_int_eq(schema_check(first), STATUS_OK);
}
END_TEST

/* How an ALTER without room ends with MariaDB 10.11, of which the first sends an operator to repair a table. */
static const struct {
    unsigned error;
    const char *told;
} WITHOUT_ROOM[] = {
    {1034, "may be full"},
    {1878, "may be full"},
    {1005, "may be full"},
    {1114, "its disk is full"},
};

START_TEST(a_migration_without_room_says_so) {
    struct text signal =
        arena_print(arena, "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %u, MESSAGE_TEXT = 'as the server says it'",
                    WITHOUT_ROOM[_i].error);
    capture_errors();
    ck_assert_int_eq(sql_script(first, "migration", signal), STATUS_FAULT);
    ck_assert_ptr_nonnull(strstr(errors_text(), WITHOUT_ROOM[_i].told));
}
END_TEST

struct migration_thread {
    struct connection *connection;
    enum status status;
    struct schema_report report;
};

static void *migrate_in_thread(void *of_thread) {
    struct migration_thread *thread = of_thread;
    struct arena *memory = arena_create();
    do { /* the other migration may take longer than the lock wait time-out */
        thread->status = schema_migrate(thread->connection, &fresh, memory, &thread->report);
    } while (thread->status == STATUS_AGAIN);
    release(thread->connection);
    arena_destroy(memory);
    return NULL;
}

static void open_thread(struct migration_thread *thread) {
    ck_assert_int_eq(database_open(&fresh, OWNER, true, &thread->connection), STATUS_OK);
}

/* As a session of `recaudoctl db migrate` that is at work. */
static void hold_the_lock(void) {
    ck_assert_int_eq(migration_lock_take(first), STATUS_OK);
}

START_TEST(one_waits_while_another_migrates) {
    struct migration_thread second = {0};
    pthread_t id;
    migrate_all();
    release(first);
    open_thread(&second);
    hold_the_lock();
    ck_assert_int_eq(pthread_create(&id, NULL, migrate_in_thread, &second), 0);
    database_wait_for("SELECT COUNT(*) FROM information_schema.processlist WHERE state = 'User lock'");
    release(first);
    ck_assert_int_eq(pthread_join(id, NULL), 0);
    ck_assert_int_eq(second.status, STATUS_OK);
    ck_assert_uint_eq(second.report.applied, 0);
    connection_close(second.connection);
}
END_TEST

/* The message comes while another session holds the lock. */
START_TEST(says_that_somebody_else_is_migrating) {
    struct migration_thread second = {0};
    char holder[100];
    open_thread(&second);
    hold_the_lock();
    capture_errors();
    ck_assert_int_eq(schema_migrate(second.connection, &fresh, arena, &second.report), STATUS_AGAIN);
    ck_assert_ptr_nonnull(strstr(errors_text(), "schema: another process is migrating it, or was killed"));
    snprintf(holder, sizeof holder, "connection %lu); it is waited for", mysql_thread_id(first->mysql));
    ck_assert_ptr_nonnull(strstr(errors_text(), holder));
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'recaudo_fresh'"), 0);
    connection_close(second.connection);
}
END_TEST

/* Where the program's host was lost, the server notices nothing. */
START_TEST(a_session_that_is_idle_gives_the_lock_back) {
    hold_the_lock();
    ck_assert_int_eq(mysql_query(first->mysql, "SELECT @@SESSION.wait_timeout"), 0);
    MYSQL_RES *rows = mysql_store_result(first->mysql);
    ck_assert_str_eq(mysql_fetch_row(rows)[0], "60");
    mysql_free_result(rows);
}
END_TEST

/* The migration itself waits for as long as it takes. */
START_TEST(what_follows_a_migration_waits_no_longer_than_usual) {
    migrate_all();
    ck_assert_int_eq(mysql_query(first->mysql, "SELECT @@lock_wait_timeout, @@innodb_lock_wait_timeout"), 0);
    MYSQL_RES *rows = mysql_store_result(first->mysql);
    MYSQL_ROW row = mysql_fetch_row(rows);
    ck_assert_str_eq(row[0], "60");
    ck_assert_str_eq(row[1], "4");
    mysql_free_result(rows);
}
END_TEST

/* What MariaDB 10.11 tells of its members; garbd has no address. */
START_TEST(an_arbitrator_is_no_server) {
    ck_assert_uint_eq(database_number("SELECT " SQL_SERVERS_AT("'AUTO,AUTO,'")), 2);
    ck_assert_uint_eq(database_number("SELECT " SQL_SERVERS_AT("',10.1.2.11:3306,:3307,[fd00::1]:3306'")), 3);
    ck_assert_uint_eq(database_number("SELECT " SQL_SERVERS_AT("''")), 0);
}
END_TEST

START_TEST(a_server_that_is_read_only_is_left_alone) {
    unsigned applied;
    database_run("SET GLOBAL read_only = 1");
    capture_errors();
    enum status status = migrate(&applied);
    database_run("SET GLOBAL read_only = 0");
    ck_assert_int_eq(status, STATUS_FAULT);
    ck_assert_ptr_nonnull(strstr(errors_text(), "nothing was changed: the server is read only"));
    ck_assert_uint_eq(
        database_number("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'recaudo_fresh'"), 0);
}
END_TEST

START_TEST(two_at_once_make_the_schema_once) {
    struct migration_thread threads[2] = {0};
    pthread_t ids[2];
    for (int i = 0; i < 2; i++) {
        open_thread(&threads[i]);
        ck_assert_int_eq(pthread_create(&ids[i], NULL, migrate_in_thread, &threads[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_join(ids[i], NULL), 0);
        ck_assert_int_eq(threads[i].status, STATUS_OK);
        connection_close(threads[i].connection);
    }
    ck_assert_uint_eq(threads[0].report.applied + threads[1].report.applied, 1);
}
END_TEST

#define OURS "table_schema = 'recaudo'"

START_TEST(every_table_and_column_has_a_comment) {
    const char *table = database_text("SELECT table_name FROM information_schema.tables WHERE " OURS
                                      " AND table_type = 'BASE TABLE' AND table_comment = ''");
    ck_assert_msg(table == NULL, "table %s", table);
    const char *column = database_text("SELECT CONCAT(table_name, '.', column_name) FROM information_schema.columns c"
                                       " JOIN information_schema.tables t USING (table_schema, table_name)"
                                       " WHERE " OURS " AND table_type = 'BASE TABLE' AND column_comment = ''");
    ck_assert_msg(column == NULL, "column %s", column);
}
END_TEST

/* Checks the conventions stated at the head of sql/foundation.sql. */
START_TEST(every_table_keeps_the_conventions) {
    const char *table =
        database_text("SELECT table_name FROM information_schema.tables WHERE " OURS " AND table_type = 'BASE TABLE'"
                      " AND (engine <> 'InnoDB' OR table_collation <> 'utf8mb4_nopad_bin')");
    ck_assert_msg(table == NULL, "table %s", table);
    const char *column = database_text("SELECT CONCAT(table_name, '.', column_name) FROM information_schema.columns c"
                                       " JOIN information_schema.tables t USING (table_schema, table_name)"
                                       " WHERE " OURS " AND table_type = 'BASE TABLE'"
                                       " AND (data_type IN ('float', 'double', 'timestamp', 'date', 'time')"
                                       "   OR (data_type = 'decimal' AND column_type <> 'decimal(19,4)')"
                                       "   OR (data_type = 'datetime' AND column_type <> 'datetime(6)')"
                                       "   OR (collation_name IS NOT NULL AND collation_name NOT LIKE '%%\\_bin'))");
    ck_assert_msg(column == NULL, "column %s", column);
    const char *in_key = database_text("SELECT CONCAT(table_name, '.', column_name) FROM information_schema.columns c"
                                       " JOIN information_schema.statistics s"
                                       " USING (table_schema, table_name, column_name)"
                                       " WHERE " OURS " AND c.extra LIKE 'VIRTUAL%%'");
    ck_assert_msg(in_key == NULL, "a key has the virtual column %s", in_key);
}
END_TEST

/* DO succeeds where the function that it calls fails, and keeps what that had written. */
START_TEST(no_routine_calls_a_function_with_do) {
    static const char CALLS[] = "REGEXP '(^|[[:space:];])DO[[:space:]]+[a-z_]+[[:space:]]*\\\\('";
    ck_assert_uint_eq(database_number("SELECT '; DO f (1);' %s AND NOT 'DO CALL p(1)' %s", CALLS, CALLS), 1);
    const char *routine = database_text("SELECT routine_name FROM information_schema.routines WHERE routine_schema ="
                                        " DATABASE() AND routine_definition %s"
                                        " UNION ALL SELECT trigger_name FROM information_schema.triggers"
                                        " WHERE trigger_schema = DATABASE() AND action_statement %s",
                                        CALLS, CALLS);
    ck_assert_msg(routine == NULL, "%s", routine);
}
END_TEST

TCase *schema_tests(void) {
    TCase *tests = database_case("schema");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, every_table_and_column_has_a_comment);
    tcase_add_test(tests, every_table_keeps_the_conventions);
    tcase_add_test(tests, no_routine_calls_a_function_with_do);
    tcase_add_test(tests, migrates_an_empty_database_once);
    tcase_add_test(tests, a_database_without_migrations_is_not_the_known_one);
    add_table_test(tests, refuses_what_is_not_its_schema, DAMAGES);
    add_table_test(tests, tables_of_others_are_found_before_the_migration_begins, OTHERS);
    add_table_test(tests, programs_of_others_are_found_before_the_migration_begins, PROGRAMS);
    tcase_add_test(tests, a_migration_that_failed_goes_on);
    tcase_add_test(tests, what_follows_a_migration_waits_no_longer_than_usual);
    add_table_test(tests, a_migration_without_room_says_so, WITHOUT_ROOM);
    tcase_add_test(tests, one_waits_while_another_migrates);
    tcase_add_test(tests, says_that_somebody_else_is_migrating);
    tcase_add_test(tests, a_session_that_is_idle_gives_the_lock_back);
    tcase_add_test(tests, an_arbitrator_is_no_server);
    tcase_add_test(tests, a_server_that_is_read_only_is_left_alone);
    tcase_add_test(tests, two_at_once_make_the_schema_once);
    return tests;
}
