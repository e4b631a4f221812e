#include "store.h"

#include "large_data.h"
#include "statement_cases.h"

/*
 * Runs every statement against tables of 100,000 rows. Its plan must not scan a table, and it must not read more rows
 * than it needs.
 */
enum { SMALL_TABLE = 1000, READS_MAX = 1500, CONSOLE_READS_MAX = 1000, PLAN_COLUMNS = 10, CELL = 2000 };

struct plan_row {
    char cells[PLAN_COLUMNS][CELL];
    my_bool is_null[PLAN_COLUMNS];
};

enum { PLAN_TABLE = 2, PLAN_TYPE = 3, PLAN_KEY = 5, PLAN_ROWS = 8 };

static void bind_plan(MYSQL_STMT *statement, struct plan_row *row) {
    MYSQL_BIND binds[PLAN_COLUMNS] = {0};
    ck_assert_uint_eq(mysql_stmt_field_count(statement), PLAN_COLUMNS);
    for (int i = 0; i < PLAN_COLUMNS; i++) {
        binds[i].buffer_type = MYSQL_TYPE_STRING;
        binds[i].buffer = row->cells[i];
        binds[i].buffer_length = CELL;
        binds[i].is_null = &row->is_null[i];
    }
    ck_assert_int_eq(mysql_stmt_bind_result(statement, binds), 0);
}

static void judge_plan(enum statement statement, const struct plan_row *row) {
    uint64_t rows = 0;
    bool walks = !row->is_null[PLAN_TYPE] &&
                 (strcmp(row->cells[PLAN_TYPE], "ALL") == 0 || strcmp(row->cells[PLAN_TYPE], "index") == 0);
    if (walks && !row->is_null[PLAN_ROWS]) {
        ck_assert(text_to_number(text_of(row->cells[PLAN_ROWS]), &rows));
    }
    ck_assert_msg(rows <= SMALL_TABLE, "%s walks through %s (%s, key %s, %s rows)", sql_statement_name(statement),
                  row->cells[PLAN_TABLE], row->cells[PLAN_TYPE], row->is_null[PLAN_KEY] ? "none" : row->cells[PLAN_KEY],
                  row->cells[PLAN_ROWS]);
}

START_TEST(no_plan_walks_through_a_table) {
    const struct statement_case *one = &STATEMENT_CASES[_i];
    MYSQL *mysql = database_login(OWNER);
    static struct plan_row row;
    MYSQL_STMT *statement = statement_case_run(mysql, "EXPLAIN ", one);
    ck_assert_msg(mysql_stmt_errno(statement) == 0, "%s: %s", sql_statement_name(one->statement),
                  mysql_stmt_error(statement));
    bind_plan(statement, &row);
    while (mysql_stmt_fetch(statement) == 0) {
        judge_plan(one->statement, &row);
    }
    mysql_stmt_close(statement);
    mysql_close(mysql);
}
END_TEST

static uint64_t count_reads(MYSQL *mysql) {
    ck_assert_int_eq(mysql_query(mysql, "SHOW SESSION STATUS LIKE 'Handler\\_read\\_%'"), 0);
    MYSQL_RES *rows = mysql_store_result(mysql);
    MYSQL_ROW row;
    uint64_t sum = 0, reads;
    while ((row = mysql_fetch_row(rows)) != NULL) {
        ck_assert(text_to_number(text_of(row[1]), &reads));
        sum += reads;
    }
    mysql_free_result(rows);
    return sum;
}

START_TEST(none_touches_more_rows_than_it_needs) {
    const struct statement_case *one = &STATEMENT_CASES[_i];
    MYSQL *mysql = database_login(OWNER);
    mysql_autocommit(mysql, 0);
    uint64_t before = count_reads(mysql);
    MYSQL_STMT *statement = statement_case_run(mysql, "", one);
    ck_assert_msg(mysql_stmt_errno(statement) == 0, "%s: %s", sql_statement_name(one->statement),
                  mysql_stmt_error(statement));
    while (mysql_stmt_field_count(statement) > 0 && mysql_stmt_fetch(statement) != MYSQL_NO_DATA) {
    }
    mysql_stmt_close(statement);
    uint64_t reads = count_reads(mysql) - before;
    mysql_rollback(mysql);
    mysql_close(mysql);
    bool is_of_the_catalogue = one->statement == SQL_grants_surplus || one->statement == SQL_grants_without_password ||
                               one->statement == SQL_id_counter_list || one->statement == SQL_program_list ||
                               one->statement == SQL_program_endings || one->statement == SQL_program_owners ||
                               one->statement == SQL_table_parts || one->statement == SQL_table_exists ||
                               one->statement == SQL_migration_tables;
    bool is_for_the_console = text_begins(text_of(sql_statement_name(one->statement)), TEXT("console_"));
    uint64_t most = is_for_the_console ? CONSOLE_READS_MAX : READS_MAX;
    ck_assert_msg(reads <= most || is_of_the_catalogue, "%s touches %llu rows", sql_statement_name(one->statement),
                  (unsigned long long)reads);
}
END_TEST

/* An index that no statement needs slows down each write and backup. For each index that is neither unique nor needed
 * by a foreign key, this table names a statement that uses it. */
static const struct {
    const char *table, *key;
    enum statement statement;
    const char *by_hand; /* a query of doc/database.md, if no program has one */
} KEYS[] = {
    {"account_ledger", "account_id", SQL_account_movements, NULL},
    {"approvals", "state", SQL_approval_waiting, NULL},
    {"approvals", "subject", SQL_approval_of_claim, NULL},
    {"dispatchers", "seen_at", SQL_dispatcher_forget, NULL},
    /* health_heartbeat: the optimizer reads its MAX from the index while planning, so the plan names no index. */
    {"dispatchers", "task", 0, "SELECT seen_at FROM dispatchers WHERE task = 'settle' ORDER BY seen_at DESC LIMIT 1"},
    {"endpoint_tests", "waiting", SQL_endpoint_test_find, NULL},
    {"event_log", "subject", SQL_event_list, NULL},
    {"external_queries", "asked_at", SQL_query_list, NULL},
    {"external_queries", "integration", SQL_query_list_of_integration, NULL},
    {"external_queries", "merchant", SQL_query_list_of_merchant, NULL},
    {"external_queries", "reference", SQL_query_list_of_reference, NULL},
    {"notifications", "due", SQL_console_notification_list_in_state, NULL},
    {"notifications", "merchant", SQL_health_due, NULL},
    {"notifications", "of_merchant", SQL_notification_list_of_merchant, NULL},
    {"orders", "created", SQL_order_now_list, NULL},
    {"orders", "document", SQL_console_order_by_document, NULL},
    {"orders", "due", SQL_health_expiries, NULL},
    {"orders", "listed", SQL_order_now_list_in_state, NULL},
    {"orders", "merchant", SQL_console_order_list_of_merchant, NULL},
    {"orders", "reference", SQL_console_order_by_reference, NULL},
    {"refunds", "at", SQL_settlement_refunds, NULL},
    {"remittances", "network_id", 0, "SELECT amount FROM remittances WHERE network_id = 1 AND currency = 'COP'"},
    {"seals", "sealed_at", SQL_seal_made_after, NULL},
    {"settlement_items", "settlement", SQL_settlement_items, NULL},
    {"transactions", "account_id", SQL_console_transaction_of_document, NULL},
    {"transactions", "order_id", SQL_transaction_now_of_order, NULL},
    {"transactions", "registered", SQL_transaction_now_list, NULL},
    {"transactions", "settled", SQL_settlement_settled, NULL},
    {"transactions", "window_end", SQL_health_windows, NULL},
};

static bool plan_names(MYSQL *mysql, const struct statement_case *one, const char *key) {
    static struct plan_row row;
    bool found = false;
    MYSQL_STMT *statement = statement_case_run(mysql, "EXPLAIN ", one);
    ck_assert_msg(mysql_stmt_errno(statement) == 0, "%s", mysql_stmt_error(statement));
    bind_plan(statement, &row);
    while (mysql_stmt_fetch(statement) == 0) {
        found |= !row.is_null[PLAN_KEY] && strcmp(row.cells[PLAN_KEY], key) == 0;
    }
    mysql_stmt_close(statement);
    return found;
}

START_TEST(a_statement_reads_by_the_key) {
    MYSQL *mysql = database_login(OWNER);
    bool found = false;
    if (KEYS[_i].by_hand != NULL) {
        const char *plan = database_text("EXPLAIN FORMAT=JSON %s", KEYS[_i].by_hand);
        found = strstr(plan, arena_print(arena, "\"key\": \"%s\"", KEYS[_i].key).at) != NULL;
    }
    for (size_t i = 0; i < STATEMENT_CASE_COUNT && KEYS[_i].by_hand == NULL; i++) {
        found |=
            STATEMENT_CASES[i].statement == KEYS[_i].statement && plan_names(mysql, &STATEMENT_CASES[i], KEYS[_i].key);
    }
    mysql_close(mysql);
    ck_assert_msg(found, "%s does not read %s by %s",
                  KEYS[_i].by_hand == NULL ? sql_statement_name(KEYS[_i].statement) : KEYS[_i].by_hand, KEYS[_i].table,
                  KEYS[_i].key);
}
END_TEST

START_TEST(every_key_has_its_statement) {
    const char *named = "";
    for (size_t i = 0; i < COUNT_OF(KEYS); i++) {
        named = arena_print(arena, "%s%s'%s.%s'", named, i == 0 ? "" : ", ", KEYS[i].table, KEYS[i].key).at;
    }
    ck_assert_str_eq(database_text("SELECT COALESCE(GROUP_CONCAT(s.table_name, '.', s.index_name), '')"
                                   " FROM information_schema.statistics s WHERE s.table_schema = DATABASE()"
                                   " AND s.non_unique = 1 AND s.seq_in_index = 1"
                                   " AND CONCAT(s.table_name, '.', s.index_name) NOT IN (%s)"
                                   " AND NOT EXISTS (SELECT 1 FROM information_schema.key_column_usage f"
                                   " WHERE f.table_schema = s.table_schema AND f.table_name = s.table_name"
                                   " AND f.column_name = s.column_name AND f.referenced_table_name IS NOT NULL)",
                                   named),
                     "");
}
END_TEST

TCase *scans_tests(void) {
    TCase *tests = database_filled_case("scans", large_data_insert, large_data_remove);
    tcase_add_loop_test(tests, no_plan_walks_through_a_table, 0, (int)STATEMENT_CASE_COUNT);
    tcase_add_loop_test(tests, none_touches_more_rows_than_it_needs, 0, (int)STATEMENT_CASE_COUNT);
    tcase_add_loop_test(tests, a_statement_reads_by_the_key, 0, COUNT_OF(KEYS));
    tcase_add_test(tests, every_key_has_its_statement);
    return tests;
}
