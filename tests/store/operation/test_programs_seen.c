#include "store.h"

#include "store/operation/dispatchers.h"
#include "store/operation/health.h"
#include "store/operation/troubles.h"

#include <inttypes.h>
#include <mysqld_error.h>

/* Which programs were seen, on which machines, and what they noted; to the microsecond: it is always noon. */

#define NOON      "'2030-05-05 12:00:00'"
#define SOON      NOON " + INTERVAL 1 MINUTE - INTERVAL 1 MICROSECOND" /* the clock was set back by a little */
#define AHEAD     NOON " + INTERVAL 1 MINUTE"                          /* it was ahead: ignored */
#define BEFORE(n) NOON " - INTERVAL " #n " SECOND"
#define JUST      " + INTERVAL 1 MICROSECOND"

static struct text said;

static void empty(void) {
    database_run("TRUNCATE dispatchers; DELETE FROM dispatcher_totals; DELETE FROM last_done");
}

static void set_up(void) {
    said = TEXT("");
    database_stop_clock(owner, NOON);
    empty();
}

static void say(struct text words) {
    said = arena_print(arena, "%.*s%.*s; ", TEXT_ARGS(said), TEXT_ARGS(words));
}

static void add_dispatcher(const char *host, const char *task, const char *seen_at, bool has_ended) {
    database_run("INSERT INTO dispatchers SET host = '%s', pid = 1, task = %s, seen_at = %s, ended_at = %s,"
                 " in_flight = 3",
                 host, task, seen_at, has_ended ? NOON : "NULL");
}

static void say_host(void *context, const struct dispatcher_host *host) {
    (void)context;
    say(arena_print(arena, "%.*s %d s %" PRIu64 " %" PRIu64 " %" PRIu64, TEXT_ARGS(host->host),
                    (int)(host->seen_ago / SECOND), host->settling, host->delivering, host->in_flight));
}

START_TEST(dispatchers_that_run_are_counted_by_host) {
    add_dispatcher("old", "NULL", BEFORE(5), false);
    add_dispatcher("both", "'settle'", BEFORE(30) JUST, false);
    add_dispatcher("both", "'settle'", BEFORE(30), false);
    add_dispatcher("both", "'settle'", BEFORE(9), true);
    add_dispatcher("both", "'deliver'", BEFORE(2), false);
    add_dispatcher("both", "'deliver'", BEFORE(3), false);
    add_dispatcher("gone", "'settle'", BEFORE(86400), false);
    add_dispatcher("long ago", "'settle'", BEFORE(86400) JUST, false);
    add_dispatcher("set back", "'settle'", SOON, false);
    add_dispatcher("ahead", "'settle'", AHEAD, false);
    ck_assert_int_eq(health_dispatchers(owner, arena, say_host, NULL), STATUS_OK);
    assert_text(said, "set back 0 s 1 0 3; both 2 s 1 2 9; old 5 s 1 1 3; long ago 86399 s 0 0 0; ");
}
END_TEST

static void say_heartbeats(void) {
    struct heartbeat heartbeats[TASK_COUNT];
    ck_assert_int_eq(health_heartbeats(owner, heartbeats), STATUS_OK);
    for (enum dispatch_task task = 0; task < TASK_COUNT; task++) {
        say(heartbeats[task].seen ? arena_print(arena, "%d s", (int)(heartbeats[task].ago / SECOND)) : TEXT("never"));
    }
}

START_TEST(each_task_was_last_seen) {
    add_dispatcher("a", "'settle'", BEFORE(50), false);
    add_dispatcher("b", "'settle'", BEFORE(40), true);
    add_dispatcher("b", "'deliver'", AHEAD, false);
    say_heartbeats();
    add_dispatcher("b", "'deliver'", BEFORE(70), false);
    add_dispatcher("c", "'settle'", SOON, false);
    say_heartbeats();
    assert_text(said, "40 s; never; 0 s; 70 s; ");
}
END_TEST

/* Returns the dispatchers, with how many seconds ago they were seen. */
static const char *dispatchers(void) {
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', host, pid, task, in_flight, ended_at = " NOON
                         ", TIMESTAMPDIFF(SECOND, seen_at, " NOON ")) ORDER BY host, pid) FROM dispatchers");
}

START_TEST(a_dispatcher_begins_beats_and_ends) {
    uint64_t ids[2];
    add_dispatcher("a week", "'settle'", BEFORE(7 * 86400), false);
    add_dispatcher("gone", "'settle'", BEFORE(7 * 86400) " - INTERVAL 1 MICROSECOND", false);
    const struct dispatcher_start settles = {TEXT("h"), 7, TASK_SETTLE}, delivers = {TEXT("h"), 8, TASK_DELIVER};
    ck_assert_int_eq(dispatchers_begin(owner, &settles, &ids[0]), STATUS_OK);
    ck_assert_int_eq(dispatchers_begin(owner, &delivers, &ids[1]), STATUS_OK);
    ck_assert_str_eq(dispatchers(), "a week 1 settle 3 604800,h 7 settle 0 0,h 8 deliver 0 0");
    database_run("UPDATE dispatchers SET seen_at = " BEFORE(99));
    ck_assert_int_eq(dispatchers_beat(owner, ids[1], 5), STATUS_OK);
    ck_assert_str_eq(dispatchers(), "a week 1 settle 3 99,h 7 settle 0 99,h 8 deliver 5 0");
    database_run("UPDATE dispatchers SET seen_at = " BEFORE(99));
    ck_assert_int_eq(dispatchers_end(owner, ids[1]), STATUS_OK);
    ck_assert_str_eq(dispatchers(), "a week 1 settle 3 99,h 7 settle 0 99,h 8 deliver 0 1 0");
}
END_TEST

START_TEST(what_was_done_is_added_up) {
    const struct dispatcher_counts counts = {
        .finalised = 1, .expired = 2, .delivered = 3, .to_be_tried_again = 4, .exhausted = 5};
    ck_assert_int_eq(dispatchers_add(owner, TEXT("a"), &counts), STATUS_OK);
    ck_assert_int_eq(dispatchers_add(owner, TEXT("b"), &counts), STATUS_OK);
    ck_assert_int_eq(dispatchers_add(owner, TEXT("a"), &counts), STATUS_OK);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', host, finalised, expired, delivered,"
                                   " to_be_tried_again, exhausted) ORDER BY host) FROM dispatcher_totals"),
                     "a 2 4 6 8 10,b 1 2 3 4 5");
}
END_TEST

static void add_note(const char *what, const char *host, const char *at) {
    database_run("INSERT INTO last_done SET what = '%s', host = '%s', at = %s", what, host, at);
}

/* The last note of each trouble, in the order of enum trouble. */
static const char *const TROUBLES[] = {"held", "reload", "unrecorded", "seal_file", "rights"};

START_TEST(each_trouble_was_last_noted) {
    struct heartbeat last[TROUBLE_COUNT];
    for (unsigned i = 0; i < COUNT_OF(TROUBLES); i++) {
        const char *at = arena_print(arena, NOON " - INTERVAL %u SECOND", 10 * i).at;
        add_note(TROUBLES[i], "ahead", AHEAD);
        add_note(TROUBLES[i], "a", i == 4 ? AHEAD : at);
        add_note(TROUBLES[i], "b", i == 4 ? AHEAD : BEFORE(100));
    }
    ck_assert_int_eq(troubles_last(owner, last), STATUS_OK);
    for (enum trouble trouble = 0; trouble < TROUBLE_COUNT; trouble++) {
        say(last[trouble].seen ? arena_print(arena, "%d s", (int)(last[trouble].ago / SECOND)) : TEXT("never"));
    }
    assert_text(said, "0 s; 10 s; 20 s; 30 s; never; ");
}
END_TEST

static void add_notes(void) {
    add_note("reload", "c", BEFORE(60) JUST);
    add_note("reload", "a", SOON);
    add_note("reload", "b", NOON);
    add_note("reload", "before", BEFORE(60));
    add_note("reload", "ahead", AHEAD);
    add_note("held", "other", NOON);
}

START_TEST(hosts_of_a_trouble_are_named) {
    struct text hosts;
    add_notes();
    ck_assert_int_eq(troubles_hosts(owner, TROUBLE_RELOAD, MINUTE, arena, &hosts), STATUS_OK);
    assert_text(hosts, "a, b, c");
    ck_assert_int_eq(troubles_hosts(owner, TROUBLE_RIGHTS, MINUTE, arena, &hosts), STATUS_OK);
    assert_text(hosts, "");
    for (char host[] = "da"; host[1] <= 'z'; host[1]++) {
        add_note("reload", host, NOON);
    }
    ck_assert_int_eq(troubles_hosts(owner, TROUBLE_RELOAD, MINUTE, arena, &hosts), STATUS_OK);
    assert_text(hosts, "a, b, c, da, db, dc, dd, de, df, dg, dh, di, dj, dk, dl, dm, dn, do, dp, dq");
}
END_TEST

static const struct {
    enum trouble trouble;
    const char *host;
    bool is_noted;
} NOTED[] = {
    {TROUBLE_RELOAD, "c", true},      {TROUBLE_RELOAD, "a", true},      {TROUBLE_RELOAD, "before", false},
    {TROUBLE_RELOAD, "ahead", false}, {TROUBLE_RELOAD, "other", false}, {TROUBLE_HELD, "other", true},
};

START_TEST(a_host_noted_it_lately_or_not) {
    bool is_noted;
    add_notes();
    ck_assert_int_eq(troubles_was_noted(owner, NOTED[_i].trouble, text_of(NOTED[_i].host), MINUTE, &is_noted),
                     STATUS_OK);
    ck_assert_int_eq(is_noted, NOTED[_i].is_noted);
}
END_TEST

static void say_worker(void *context, struct text host, duration ago) {
    (void)context;
    say(ago == SERVED_UNKNOWN ? arena_print(arena, "%.*s ?", TEXT_ARGS(host))
                              : arena_print(arena, "%.*s %d s", TEXT_ARGS(host), (int)(ago / SECOND)));
}

START_TEST(hosts_that_serve_are_listed) {
    add_note("serving", "b", BEFORE(20));
    add_note("serving", "c", AHEAD);
    add_note("serving", "a", BEFORE(30));
    add_note("serving", "d", SOON);
    add_note("serving", "e", AHEAD JUST);
    add_note("reload", "f", NOON);
    ck_assert_int_eq(workers_hosts(owner, arena, say_worker, NULL), STATUS_OK);
    assert_text(said, "d 0 s; b 20 s; a 30 s; e ?; c ?; ");
}
END_TEST

static void count_worker(void *context, struct text host, duration ago) {
    size_t *count = context;
    (void)host;
    ck_assert(ago != SERVED_UNKNOWN);
    (*count)++;
}

START_TEST(a_thousand_hosts_that_serve_are_listed) {
    size_t count = 0;
    database_run("INSERT INTO last_done (what, host, at) SELECT 'serving', seq, IF(seq = 1, " AHEAD ", " NOON
                 ") FROM seq_1_to_1002");
    ck_assert_int_eq(workers_hosts(owner, arena, count_worker, &count), STATUS_OK);
    ck_assert_uint_eq(count, 1000);
}
END_TEST

START_TEST(workers_note_that_they_serve) {
    struct connection *worker = database_connect(WORKER);
    ck_assert_int_eq(workers_note(worker, TEXT("a")), STATUS_OK);
    connection_close(worker);
    ck_assert_str_eq(database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', what, host)) FROM last_done"), "serving a");
}
END_TEST

/* The console's account may not try. */
static const struct {
    enum db_account account;
    const char *before, *after;
    enum database_writes writes;
} WRITES[] = {
    {OPERATOR, "DO 0", "DO 0", WRITES_ACCEPTED},
    {OPERATOR, "INSERT INTO last_done (what, host) VALUES ('full', LEFT(@@hostname, 64))", "DO 0", WRITES_REFUSED},
    {OPERATOR, "RENAME TABLE last_done TO was_done", "RENAME TABLE was_done TO last_done", WRITES_FAILED},
    {CONSOLE, "DO 0", "DO 0", WRITES_UNTRIED},
};

START_TEST(a_write_is_tried_by_who_may) {
    struct connection *connection = database_connect(WRITES[_i].account);
    database_run("%s", WRITES[_i].before);
    enum database_writes writes = health_try_write(connection);
    database_run("%s", WRITES[_i].after);
    connection_close(connection);
    ck_assert_int_eq(writes, WRITES[_i].writes);
}
END_TEST

static void say_backup(void) {
    struct backup_age age;
    ck_assert_int_eq(health_backup(owner, &age), STATUS_OK);
    say(!age.is_known ? TEXT("unknown")
                      : arena_print(arena, "%s%d s", age.is_noted ? "" : "without ", (int)(age.ago / SECOND)));
}

static void pay_at(const char *moment) {
    database_run("SET timestamp = UNIX_TIMESTAMP(%s)", moment);
    new_transaction(.order_id = new_order(.reference = database_text("SELECT 1 + COUNT(*) FROM orders")));
    database_run("SET timestamp = DEFAULT");
}

START_TEST(the_last_backup_is_so_old) {
    add_note("backup", "ahead", AHEAD);
    add_note("write", "a", BEFORE(1));
    say_backup();
    pay_at(BEFORE(50));
    pay_at(BEFORE(90));
    pay_at(BEFORE(70));
    say_backup();
    add_note("backup", "a", BEFORE(20));
    add_note("backup", "b", BEFORE(30));
    say_backup();
    add_note("backup", "c", SOON);
    say_backup();
    assert_text(said, "unknown; without 90 s; 20 s; 0 s; ");
}
END_TEST

/* Returns what is noted, with the time. */
static const char *notes(void) {
    return database_text("SELECT GROUP_CONCAT(CONCAT_WS(' ', what, IF(host = @@hostname, 'here', host), TIME(at))"
                         " ORDER BY what, host) FROM last_done");
}

static const char *note_at(MYSQL *mysql, const char *at, const char *note) {
    ck_assert_uint_eq(database_error(mysql, "SET timestamp = UNIX_TIMESTAMP(%s)", at), 0);
    const char *query = arena_print(arena, "SELECT %s", note).at;
    database_send(mysql, query);
    return database_answer(mysql, query);
}

static const enum db_account WRITERS[] = {WORKER, DISPATCHER, DELIVERER, OPERATOR};

START_TEST(a_program_notes_that_it_found_no_room) {
    MYSQL *mysql = database_login(WRITERS[_i]);
    ck_assert_str_eq(note_at(mysql, BEFORE(7), "full_note()"), "1");
    ck_assert_str_eq(notes(), "full here 11:59:53.000000");
    ck_assert_str_eq(note_at(mysql, NOON, "full_note()"), "1");
    ck_assert_str_eq(notes(), "full here 12:00:00.000000");
    mysql_close(mysql);
}
END_TEST

START_TEST(each_machine_notes_its_last_backup) {
    MYSQL *mysql = database_login(OWNER);
    ck_assert_str_eq(note_at(mysql, BEFORE(7), "backup_note('a')"), "1");
    ck_assert_str_eq(note_at(mysql, BEFORE(6), "backup_note('b')"), "1");
    ck_assert_str_eq(note_at(mysql, NOON, "backup_note('a')"), "1");
    ck_assert_str_eq(notes(), "backup a 12:00:00.000000,backup b 11:59:54.000000");
    mysql_close(mysql);
}
END_TEST

/* Each account notes what its program may be troubled by, of a machine that has a name. */
static const struct {
    enum db_account account;
    const char *may;
} NOTERS[] = {{WORKER, " reload rights serving "}, {DISPATCHER, " held seal_file "}, {DELIVERER, " unrecorded "}};

static const char *const NOTES[] = {"reload",     "rights", "serving", "held",  "seal_file",
                                    "unrecorded", "full",   "backup",  "write", "reloadx"};

START_TEST(each_program_notes_its_own_troubles) {
    MYSQL *mysql = database_login(NOTERS[_i].account);
    for (size_t i = 0; i < COUNT_OF(NOTES); i++) {
        bool may = strstr(NOTERS[_i].may, arena_print(arena, " %s ", NOTES[i]).at) != NULL;
        empty();
        unsigned error = database_error(mysql,
                                        "SET timestamp = UNIX_TIMESTAMP(" BEFORE(7) "); SET @done ="
                                                                                    " trouble_note('%s', 'a.b-c_9')",
                                        NOTES[i]);
        ck_assert_msg(error == (may ? 0 : ER_SIGNAL_EXCEPTION), "%s: %u", NOTES[i], error);
        if (may) {
            ck_assert_str_eq(notes(), arena_print(arena, "%s a.b-c_9 11:59:53.000000", NOTES[i]).at);
            const char *again = arena_print(arena, "trouble_note('%s', 'a.b-c_9')", NOTES[i]).at;
            ck_assert_str_eq(note_at(mysql, NOON, again), "1");
            ck_assert_str_eq(notes(), arena_print(arena, "%s a.b-c_9 12:00:00.000000", NOTES[i]).at);
        } else {
            ck_assert_ptr_null(notes());
        }
    }
    mysql_close(mysql);
}
END_TEST

static const char *const NO_NAMES[] = {"", "a b", "a;b", " a", "a/", "a\n"};

START_TEST(a_machine_has_a_name) {
    MYSQL *mysql = database_login(WORKER);
    unsigned error = database_error(mysql, "SET @done = trouble_note('reload', '%s')", NO_NAMES[_i]);
    mysql_close(mysql);
    ck_assert_uint_eq(error, ER_SIGNAL_EXCEPTION);
    ck_assert_ptr_null(notes());
}
END_TEST

TCase *programs_seen_tests(void) {
    TCase *tests = database_case("programs_seen");
    tcase_add_checked_fixture(tests, set_up, empty);
    tcase_add_test(tests, dispatchers_that_run_are_counted_by_host);
    tcase_add_test(tests, each_task_was_last_seen);
    tcase_add_test(tests, a_dispatcher_begins_beats_and_ends);
    tcase_add_test(tests, what_was_done_is_added_up);
    tcase_add_test(tests, each_trouble_was_last_noted);
    tcase_add_test(tests, hosts_of_a_trouble_are_named);
    add_table_test(tests, a_host_noted_it_lately_or_not, NOTED);
    tcase_add_test(tests, hosts_that_serve_are_listed);
    tcase_add_test(tests, a_thousand_hosts_that_serve_are_listed);
    tcase_add_test(tests, workers_note_that_they_serve);
    add_table_test(tests, a_write_is_tried_by_who_may, WRITES);
    tcase_add_test(tests, the_last_backup_is_so_old);
    add_table_test(tests, a_program_notes_that_it_found_no_room, WRITERS);
    tcase_add_test(tests, each_machine_notes_its_last_backup);
    add_table_test(tests, each_program_notes_its_own_troubles, NOTERS);
    add_table_test(tests, a_machine_has_a_name, NO_NAMES);
    return tests;
}
