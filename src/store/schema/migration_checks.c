#include "store/schema/migration_checks.h"

#include "store/db/rows.h"
#include "store/schema/grants.h"
#include "store/schema/programs.h"
#include "store/schema/schema.h"
#include "store/schema/schema_lines.h"
#include "store/schema/tables.h"

const char sql_text_of_migration_tables[] =
    "SELECT GROUP_CONCAT(CONCAT('`', REPLACE(TABLE_NAME, '`', '``'), '` WRITE')) FROM information_schema.TABLES"
    " WHERE TABLE_SCHEMA = DATABASE() AND ENGINE = 'InnoDB'";

const char sql_text_of_migration_server[] =
    "SELECT @@GLOBAL.log_bin AND NOT @@GLOBAL.log_bin_trust_function_creators, @@SESSION.max_allowed_packet < 1048576";

/* Refuses tables without a row of schema_version, because their version is unknown. */
static enum status check_empty(struct connection *connection) {
    bool exists = false;
    enum status status = schema_exists(connection, &exists);
    if (status == STATUS_OK && exists) {
        log_line(LOG_ERROR, "schema: the database has the tables, but schema_version is empty: "
                            "restore its rows from a backup");
        return STATUS_FAULT;
    }
    return status;
}

enum status migration_check_name(struct connection *connection, struct text table) {
    bool exists = false;
    enum status status = table_exists(connection, table, &exists);
    if (status == STATUS_OK && exists) {
        log_line(LOG_ERROR,
                 "schema: the migration did not begin, and nothing was changed: it makes a table or view %.*s, and "
                 "the database has another one of that name: rename it, or take another database",
                 TEXT_ARGS(table));
        return STATUS_FAULT;
    }
    return status;
}

/* The script would take a table that is there for one that a run before it has made, and would replace a view. */
static enum status refuse_names_after(struct connection *connection, struct text script, struct text create) {
    enum status status = STATUS_OK;
    while (status == STATUS_OK && cut_past(&script, create)) {
        status = migration_check_name(connection, cut_to(&script, TEXT(" ")));
    }
    return status;
}

static enum status refuse_views_of(struct connection *connection, struct text script) {
    enum status status = refuse_names_after(connection, script, TEXT("CREATE OR REPLACE SQL SECURITY DEFINER VIEW "));
    return status == STATUS_OK
               ? refuse_names_after(connection, script, TEXT("CREATE OR REPLACE SQL SECURITY INVOKER VIEW "))
               : status;
}

/* The script would replace routines of these names, and fail at a trigger of another table. */
static enum status refuse_programs(struct connection *connection, struct arena *arena) {
    struct text there;
    enum status status = programs_there(connection, arena, &there);
    if (status == STATUS_OK && there.size > 0) {
        log_line(LOG_ERROR,
                 "schema: the migration did not begin, and nothing was changed: the database has programs of names "
                 "that it makes: %.*s: drop them, or take another database",
                 TEXT_ARGS(there));
        return STATUS_FAULT;
    }
    return status;
}

static const char END_OF_LOCK[] = "UNLOCK TABLES; SET max_statement_time = 0";

/* Locks all tables, as each change of a table locks one, and waits for all of them together 5 seconds at most. */
static enum status try_tables(struct connection *connection, struct text tables, struct arena *arena) {
    enum status status =
        sql_script(connection, "lock of all tables",
                   arena_print(arena, "SET max_statement_time = 5; LOCK TABLES %.*s", TEXT_ARGS(tables)));
    enum status unlocked = sql_script(connection, "end of the lock", text_of(END_OF_LOCK));
    return status == STATUS_OK ? unlocked : status;
}

/*
 * A transaction that has read a table keeps it from being changed until it ends, and whoever needs the table waits
 * behind the change. Such a transaction is found before the migration begins, because one that began must not fail.
 */
static enum status check_tables_are_free(struct connection *connection, struct arena *arena) {
    struct sql *sql = sql_begin(connection, SQL_migration_tables);
    struct text tables = {"", 0};
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        tables = sql_get_text(sql, arena);
    }
    sql_end(sql);
    status = status == STATUS_OK ? try_tables(connection, tables, arena) : status;
    if (status != STATUS_OK) {
        log_line(LOG_ERROR,
                 "schema: the migration did not begin, and nothing was changed. If the line above says "
                 "\"max_statement_time exceeded\", a transaction has used a table and is still open: the migration, "
                 "and payments behind it, would wait for its end. doc/database.md, \"Locks and slow statements\", "
                 "says how to find it");
    }
    return status;
}

enum status migration_check_server(struct connection *connection) {
    bool refuses_functions = false, refuses_scripts = false;
    struct sql *sql = sql_begin(connection, SQL_migration_server);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        refuses_functions = sql_get_number(sql) != 0;
        refuses_scripts = sql_get_number(sql) != 0;
    }
    sql_end(sql);
    if (refuses_functions || refuses_scripts) {
        log_line(LOG_ERROR,
                 "schema: nothing was changed: the server would refuse the migration's %s. %s, and write it into the "
                 "server's file too",
                 refuses_functions ? "functions, because it has a binary log" : "scripts, because they are too long",
                 refuses_functions ? "SET GLOBAL log_bin_trust_function_creators = 1"
                                   : "SET GLOBAL max_allowed_packet = 16777216");
        return STATUS_FAULT;
    }
    return status;
}

/* One of each kind of statement. Whoever may not drop is refused first, so that nothing stays. */
static const char TRIAL[] =
    "DROP TABLE IF EXISTS recaudo_trial; CREATE TABLE recaudo_trial (id INT);"
    "ALTER TABLE recaudo_trial ADD COLUMN other INT; UPDATE recaudo_trial SET id = 7;"
    "CREATE OR REPLACE FUNCTION recaudo_trial () RETURNS INT RETURN 7;"
    "CREATE OR REPLACE TRIGGER recaudo_trial BEFORE UPDATE ON recaudo_trial FOR EACH ROW SET NEW.id = 7;"
    "CREATE OR REPLACE VIEW recaudo_trial_view AS SELECT id FROM recaudo_trial",
                  END_OF_TRIAL[] = "DROP TABLE IF EXISTS recaudo_trial; DROP VIEW IF EXISTS recaudo_trial_view;"
                                   "DROP FUNCTION IF EXISTS recaudo_trial";

static enum status try_rights(struct connection *connection, struct arena *arena) {
    enum status status = sql_script(connection, "trial of the migration", text_of(TRIAL));
    enum status ended = sql_script(connection, "end of the trial", text_of(END_OF_TRIAL));
    status = status == STATUS_OK ? ended : status;
    status = status == STATUS_OK ? grants_try(connection, arena) : status;
    if (status != STATUS_OK) {
        log_line(LOG_ERROR, "schema: nothing was changed: the migration would fail midway, as a line above says. If it "
                            "denies something: the owner needs ALL on the database WITH GRANT OPTION, SELECT on "
                            "mysql.*, and CREATE USER (cluster.md, Accounts)");
    }
    return status;
}

enum status migration_check_rights(struct connection *connection, struct text account_host, struct arena *arena) {
    struct text absent = TEXT("");
    enum status status = try_rights(connection, arena);
    if (status == STATUS_OK) {
        status = grants_without_account(connection, account_host, arena, &absent);
    }
    if (status == STATUS_OK && absent.size > 0) {
        log_line(LOG_ERROR,
                 "schema: nothing was changed: accounts that the migration gives rights to do not exist: %.*s: make "
                 "them as sql/accounts.sql does, or mend [database] account_host",
                 TEXT_ARGS(absent));
        return STATUS_FAULT;
    }
    return status;
}

enum status migration_check_database(struct connection *connection, unsigned version, struct text script,
                                     struct arena *arena) {
    enum status status = version == 0 ? check_empty(connection) : STATUS_OK;
    if (status == STATUS_OK) {
        status = refuse_names_after(connection, script, TEXT("CREATE TABLE IF NOT EXISTS "));
    }
    if (status == STATUS_OK && version == 0) { /* an upgrade makes ours anew */
        status = refuse_views_of(connection, script);
        status = status == STATUS_OK ? refuse_programs(connection, arena) : status;
    }
    return status == STATUS_OK && version > 0 ? check_tables_are_free(connection, arena) : status;
}
