#include "store.h"

#include "store/db/connection_private.h"
#include "unit/files.h"

#include <mysqld_error.h>
#include <pthread.h>

/*
 * A unit adds 1 to the totals of the first host, lets the test act, and adds 1 to those of the second. In every case
 * both are added or none.
 */
struct unit {
    const char *hosts[2];
    int runs;
    void (*meanwhile)(struct unit *unit);
    enum status result; /* returned if all statements succeed */
};

static struct unit unit;
static MYSQL *other; /* another session */

static void set_up(void) {
    capture_errors();
    unit = (struct unit){{"one", "two"}, 0, NULL, STATUS_OK};
    database_run("REPLACE INTO dispatcher_totals (host) VALUES ('one'), ('two')");
    other = database_login(OWNER);
}

static void tear_down(void) {
    mysql_close(other);
}

static enum status add(struct connection *connection, const char *host) {
    struct sql *sql = sql_begin(connection, SQL_dispatcher_add);
    sql_text(sql, text_of(host));
    for (int i = 0; i < 5; i++) {
        sql_number(sql, 1);
    }
    enum status status = sql_run(sql, NULL);
    sql_end(sql);
    return status;
}

static enum status run_unit(struct connection *connection, void *context) {
    struct unit *work = context;
    work->runs++;
    enum status status = add(connection, work->hosts[0]);
    if (status == STATUS_OK && work->meanwhile != NULL) {
        work->meanwhile(work);
    }
    if (status == STATUS_OK) {
        status = add(connection, work->hosts[1]);
    }
    return status == STATUS_OK ? work->result : status;
}

static void check_totals(uint64_t each) {
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(database_number("SELECT finalised FROM dispatcher_totals WHERE host = '%s'", unit.hosts[i]),
                          each);
    }
}

/* Makes lock waits fail at once. */
static void never_wait(void) {
    ck_assert_int_eq(mysql_query(owner->mysql, "SET SESSION innodb_lock_wait_timeout = 0"), 0);
}

static void lock_second(void) {
    ck_assert_uint_eq(database_error(other,
                                     "START TRANSACTION; UPDATE dispatcher_totals SET expired = 7 WHERE host = '%s'",
                                     unit.hosts[1]),
                      0);
}

START_TEST(commits_what_succeeds) {
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_OK);
    ck_assert_int_eq(unit.runs, 1);
    ck_assert(!connection_in_transaction(owner));
    check_totals(1);
}
END_TEST

static const enum status REFUSALS[] = {STATUS_NONE, STATUS_CHANGED, STATUS_CLASH, STATUS_FAULT, STATUS_AWAY};

START_TEST(rolls_back_what_does_not) {
    unit.result = REFUSALS[_i];
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), REFUSALS[_i]);
    ck_assert_int_eq(unit.runs, 1);
    ck_assert(!connection_in_transaction(owner));
    check_totals(0);
}
END_TEST

/* The next COMMIT of `owner` is refused with this error. The server does not see it, so it has not rolled back. */
static const struct st_mariadb_methods *usual;
static struct st_mariadb_methods refusing;
static unsigned refusal;

static int refuse_commit(MYSQL *mysql, enum enum_server_command command, const char *text, size_t size,
                         my_bool skip_check, void *option) {
    const char *sent = text;
    if (command == COM_QUERY && text_equal((struct text){text, size}, TEXT("COMMIT"))) {
        struct text signal = arena_print(arena, "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = %u", refusal);
        sent = signal.at;
        size = signal.size;
        mysql->methods = usual;
    }
    return usual->db_command(mysql, command, sent, size, skip_check, option);
}

static void refuse_next_commit(unsigned error) {
    refusal = error;
    usual = owner->mysql->methods;
    refusing = *usual;
    refusing.db_command = refuse_commit;
    owner->mysql->methods = &refusing;
}

static const struct {
    unsigned error;
    enum status status;
} REFUSED_COMMITS[] = {
    {ER_STATEMENT_TIMEOUT, STATUS_FAULT}, {ER_ERROR_DURING_COMMIT, STATUS_FAULT},
    {ER_DISK_FULL, STATUS_FULL},          {ER_OPTION_PREVENTS_STATEMENT, STATUS_AGAIN},
    {ER_READ_ONLY_MODE, STATUS_AGAIN},    {ER_OPEN_AS_READONLY, STATUS_AGAIN},
    {ER_DUP_ENTRY, STATUS_CLASH},         {ER_QUERY_INTERRUPTED, STATUS_OK},
    {ER_LOCK_DEADLOCK, STATUS_OK},
};

/* Otherwise the next transaction on the connection would commit it: what was said to have failed, or was run again. */
START_TEST(rolls_back_what_is_not_committed) {
    bool is_repeated = REFUSED_COMMITS[_i].status == STATUS_OK;
    refuse_next_commit(REFUSED_COMMITS[_i].error);
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), REFUSED_COMMITS[_i].status);
    ck_assert(connection_is_usable(owner) && !connection_in_transaction(owner));
    check_totals(is_repeated);
    ck_assert_int_eq(unit.runs, 1 + is_repeated);
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_OK);
    check_totals(1 + is_repeated);
}
END_TEST

/* Nothing was committed, so the outcome is known. */
START_TEST(an_unsure_statement_before_commit_changes_nothing) {
    unit.result = STATUS_UNSURE;
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_AWAY);
    ck_assert_int_eq(unit.runs, 1);
    check_totals(0);
}
END_TEST

START_TEST(gives_up_after_a_few_runs) {
    unit.result = STATUS_AGAIN;
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_AGAIN);
    ck_assert_int_gt(unit.runs, 1);
    ck_assert_int_le(unit.runs, 10);
    check_totals(0);
}
END_TEST

START_TEST(a_lock_that_never_comes_leaves_nothing_half) {
    never_wait();
    lock_second();
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_AGAIN);
    ck_assert(!connection_in_transaction(owner));
    ck_assert_int_gt(unit.runs, 1);
    ck_assert_int_eq(mysql_rollback(other), 0);
    check_totals(0);
}
END_TEST

static void release_on_third_run(struct unit *work) {
    if (work->runs == 3) {
        ck_assert_int_eq(mysql_rollback(other), 0);
    }
}

START_TEST(does_not_run_again_when_its_time_is_up) {
    never_wait();
    lock_second();
    connection_lend(owner, clock_monotonic(), INT64_MAX);
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_AGAIN);
    ck_assert_int_eq(unit.runs, 1);
    ck_assert_int_eq(mysql_rollback(other), 0);
    check_totals(0);
}
END_TEST

START_TEST(runs_again_after_lock_waits) {
    never_wait();
    lock_second();
    unit.meanwhile = release_on_third_run;
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_OK);
    ck_assert_int_eq(unit.runs, 3);
    check_totals(1);
}
END_TEST

static void *take_first(void *outcome) {
    unsigned error =
        database_error(other, "UPDATE dispatcher_totals SET expired = 7 WHERE host = '%s'; COMMIT", unit.hosts[0]);
    *(unsigned *)outcome = error;
    return NULL;
}

static pthread_t taker;
static unsigned taker_error = 77;

/* The other session holds the second host and requests the first; the unit then requests the second. */
static void close_the_circle(struct unit *work) {
    if (work->runs == 1) {
        ck_assert_int_eq(pthread_create(&taker, NULL, take_first, &taker_error), 0);
        database_wait_for(SOMEBODY_WAITS);
    }
}

/* The server rolls back the transaction that has done less. */
START_TEST(runs_again_after_a_deadlock) {
    for (int i = 0; i < 20; i++) {
        char document[16];
        snprintf(document, sizeof document, "more-%d", i);
        sample_account(document);
    }
    lock_second();
    ck_assert_uint_eq(database_error(other, "UPDATE accounts SET name = 'z' WHERE document LIKE 'more-%%'"), 0);
    unit.meanwhile = close_the_circle;
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_OK);
    ck_assert_int_eq(pthread_join(taker, NULL), 0);
    ck_assert_uint_eq(taker_error, 0);
    ck_assert_int_eq(unit.runs, 2);
    check_totals(1);
}
END_TEST

/* As a cluster's server does when another server's transaction wins. */
static void roll_back_first_run(struct unit *work) {
    if (work->runs == 1) {
        ck_assert_int_eq(mysql_rollback(owner->mysql), 0);
    }
}

START_TEST(runs_again_when_the_server_has_rolled_back_in_the_middle) {
    unit.meanwhile = roll_back_first_run;
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_OK);
    ck_assert_int_eq(unit.runs, 2);
    check_totals(1);
}
END_TEST

static enum status run_and_roll_back(struct connection *connection, void *context) {
    enum status status = run_unit(connection, context);
    roll_back_first_run(context);
    return status;
}

START_TEST(runs_again_when_the_server_has_rolled_back_before_commit) {
    ck_assert_int_eq(sql_transact(owner, run_and_roll_back, &unit), STATUS_OK);
    ck_assert_int_eq(unit.runs, 2);
    check_totals(1);
}
END_TEST

/* Inserts more rows than the client and server buffer: when the first row is read, the end of the list has not been
 * sent. No other test has orders with these ids. */
static void log_many_events(void) {
    database_run("INSERT INTO event_log (subject, subject_id, what, actor, db_account)"
                 " SELECT 'order', 4000000000 + seq, 'created', REPEAT('x', 80), REPEAT('y', 80) FROM seq_1_to_5000");
}

/* Reads the first row of a list. If `fails`, the server then ends the list with an error. */
static void read_one_row(struct connection *connection, bool fails) {
    struct sql *sql = sql_begin(connection, SQL_seal_events);
    sql_number(sql, 0);
    sql_number(sql, 1);
    sql_number(sql, UINT32_MAX);
    sql_number(sql, UINT32_MAX);
    ck_assert_int_eq(sql_first(sql), STATUS_OK);
    if (fails) {
        database_run("KILL QUERY %lu", database_thread_id(connection));
    }
    sql_end(sql);
}

static enum status run_and_read_one_row(struct connection *connection, void *context) {
    struct unit *work = context;
    enum status status = run_unit(connection, work);
    bool fails = work->runs == 1;
    read_one_row(connection, fails);
    ck_assert_int_eq(add(connection, "three"), fails ? STATUS_AGAIN : STATUS_OK);
    return status;
}

/* A cluster's server rolls the transaction back before it reports that. */
START_TEST(runs_again_after_a_list_that_ended_with_an_error) {
    log_many_events();
    ck_assert_int_eq(sql_transact(owner, run_and_read_one_row, &unit), STATUS_OK);
    ck_assert_int_eq(unit.runs, 2);
    check_totals(1);
}
END_TEST

/* Outside a unit nothing was rolled back, so the next statement runs. */
START_TEST(a_list_alone_that_ended_with_an_error_stops_nobody) {
    log_many_events();
    read_one_row(owner, true);
    ck_assert_int_eq(add(owner, unit.hosts[0]), STATUS_OK);
}
END_TEST

static void kill_unit(struct unit *work) {
    (void)work;
    database_kill(database_thread_id(owner));
}

/* The status says that nothing was changed, which is true: COMMIT was not sent. */
START_TEST(a_connection_killed_in_the_middle_changes_nothing) {
    unit.meanwhile = kill_unit;
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_AWAY);
    ck_assert(!connection_is_usable(owner));
    check_totals(0);
    ck_assert_int_eq(sql_transact(owner, run_unit, &unit), STATUS_AWAY);
    check_totals(0);
}
END_TEST

static enum status run_and_kill(struct connection *connection, void *context) {
    enum status status = run_unit(connection, context);
    kill_unit(context);
    return status;
}

START_TEST(a_connection_killed_before_commit_is_never_a_success) {
    enum status status = sql_transact(owner, run_and_kill, &unit);
    ck_assert(status == STATUS_UNSURE || status == STATUS_AWAY);
    ck_assert(!connection_is_usable(owner));
    check_totals(0);
}
END_TEST

/* The server continues a statement whose client has stopped waiting. */
START_TEST(a_statement_without_an_answer_is_unsure) {
    struct config impatient = config;
    struct connection *connection;
    impatient.database.read_timeout = SECOND;
    ck_assert_int_eq(database_open(&impatient, OWNER, false, &connection), STATUS_OK);
    lock_second();
    ck_assert_int_eq(add(connection, unit.hosts[1]), STATUS_UNSURE);
    ck_assert(!connection_is_usable(connection));
    connection_close(connection);
    ck_assert_int_eq(mysql_rollback(other), 0);
}
END_TEST

START_TEST(a_taken_key_is_a_clash_and_named) {
    struct sql *sql = sql_begin(owner, SQL_network_insert);
    sample_network("Red Norte");
    sql_text(sql, TEXT("Red Norte"));
    sql_bytes(sql, "sealed", 6);
    sql_text(sql, TEXT(""));
    sql_number(sql, 0);
    sql_number(sql, 0);
    sql_number(sql, 0);
    sql_text(sql, TEXT("off"));
    sql_text(sql, TEXT("test"));
    ck_assert_int_eq(sql_run(sql, NULL), STATUS_CLASH);
    ck_assert(sql_clashed_on(sql, "name"));
    ck_assert(!sql_clashed_on(sql, "PRIMARY"));
    sql_end(sql);
}
END_TEST

/* Customers' names must not be logged. */
START_TEST(a_fault_is_logged_without_values) {
    struct sql *sql = sql_begin(owner, SQL_network_insert);
    char name[100];
    memset(name, 'Z', sizeof name);
    sql_text(sql, (struct text){name, sizeof name});
    sql_bytes(sql, "sealed", 6);
    sql_text(sql, TEXT(""));
    sql_number(sql, 0);
    sql_number(sql, 0);
    sql_number(sql, 0);
    sql_text(sql, TEXT("off"));
    sql_text(sql, TEXT("test"));
    ck_assert_int_eq(sql_run(sql, NULL), STATUS_FAULT);
    sql_end(sql);
    ck_assert_ptr_nonnull(strstr(errors_text(), "network_insert"));
    ck_assert_ptr_null(strstr(errors_text(), "ZZZ"));
    ck_assert(connection_is_usable(owner));
}
END_TEST

static const struct {
    unsigned error;
    bool sent;
    enum status status;
    bool lost;
} ERRORS[] = {
    {ER_LOCK_DEADLOCK, true, STATUS_AGAIN, false},
    {ER_LOCK_WAIT_TIMEOUT, true, STATUS_AGAIN, false},
    {ER_CHECKREAD, true, STATUS_AGAIN, false},
    {ER_DUP_ENTRY, true, STATUS_CLASH, false},
    {ER_CONSTRAINT_FAILED, true, STATUS_FAULT, false},
    {ER_SIGNAL_EXCEPTION, true, STATUS_FAULT, false},
    {ER_TABLEACCESS_DENIED_ERROR, true, STATUS_FAULT, false},
    {2002, true, STATUS_AWAY, true},
    {2003, true, STATUS_AWAY, true},
    {2006, true, STATUS_AWAY, true},
    {2013, true, STATUS_UNSURE, true},
    {2013, false, STATUS_AWAY, true},
    {1927, true, STATUS_UNSURE, true},
    {1053, true, STATUS_UNSURE, true},
    {1047, true, STATUS_AWAY, true}, /* a node that is not Primary has run nothing */
    {1047, false, STATUS_AWAY, true},
};

START_TEST(judges_errors) {
    struct connection connection = {0};
    ck_assert_int_eq(connection_judge_error(&connection, ERRORS[_i].error, ERRORS[_i].sent), ERRORS[_i].status);
    ck_assert(connection.lost == ERRORS[_i].lost);
}
END_TEST

TCase *transact_tests(void) {
    TCase *tests = database_case("transact");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, commits_what_succeeds);
    add_table_test(tests, rolls_back_what_does_not, REFUSALS);
    add_table_test(tests, rolls_back_what_is_not_committed, REFUSED_COMMITS);
    tcase_add_test(tests, an_unsure_statement_before_commit_changes_nothing);
    tcase_add_test(tests, gives_up_after_a_few_runs);
    tcase_add_test(tests, a_lock_that_never_comes_leaves_nothing_half);
    tcase_add_test(tests, does_not_run_again_when_its_time_is_up);
    tcase_add_test(tests, runs_again_after_lock_waits);
    tcase_add_test(tests, runs_again_after_a_deadlock);
    tcase_add_test(tests, runs_again_when_the_server_has_rolled_back_in_the_middle);
    tcase_add_test(tests, runs_again_when_the_server_has_rolled_back_before_commit);
    tcase_add_test(tests, runs_again_after_a_list_that_ended_with_an_error);
    tcase_add_test(tests, a_list_alone_that_ended_with_an_error_stops_nobody);
    tcase_add_test(tests, a_connection_killed_in_the_middle_changes_nothing);
    tcase_add_test(tests, a_connection_killed_before_commit_is_never_a_success);
    tcase_add_test(tests, a_statement_without_an_answer_is_unsure);
    tcase_add_test(tests, a_taken_key_is_a_clash_and_named);
    tcase_add_test(tests, a_fault_is_logged_without_values);
    add_table_test(tests, judges_errors, ERRORS);
    return tests;
}
