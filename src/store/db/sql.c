#include "store/db/asking.h"

#include "base/memory.h"
#include "domain/instant.h"
#include "store/db/error_text.h"

#include <assert.h>
#include <mysqld_error.h>
#include <stdatomic.h>

enum { COLUMN_BYTES_MAX = 64 * 1024 };

static bool is_whole_number(enum enum_field_types type) {
    return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 || type == MYSQL_TYPE_LONG ||
           type == MYSQL_TYPE_LONGLONG;
}

/* Binds a column as a whole number, an instant or, for all other types, text. */
static void bind_column(struct column *column, MYSQL_BIND *bind, const MYSQL_FIELD *field) {
    bind->is_null = &column->is_null;
    bind->length = &column->size;
    bind->error = &column->is_cut;
    if (is_whole_number(field->type)) {
        bind->buffer_type = MYSQL_TYPE_LONGLONG;
        bind->buffer = &column->number;
        bind->is_unsigned = 1;
    } else if (field->type == MYSQL_TYPE_DATETIME) {
        bind->buffer_type = MYSQL_TYPE_DATETIME;
        bind->buffer = &column->time;
    } else {
        bind->buffer_type = MYSQL_TYPE_STRING;
        bind->buffer_length = field->length + 1 < COLUMN_BYTES_MAX ? field->length + 1 : COLUMN_BYTES_MAX;
        column->text = memory_needed(malloc(bind->buffer_length));
        bind->buffer = column->text;
    }
}

static bool bind_columns(struct sql *sql) {
    MYSQL_RES *about = mysql_stmt_result_metadata(sql->statement);
    if (about == NULL) {
        return mysql_stmt_errno(sql->statement) == 0;
    }
    sql->column_count = mysql_num_fields(about);
    assert(sql->column_count <= COLUMNS_MAX);
    for (unsigned i = 0; i < sql->column_count; i++) {
        bind_column(&sql->columns[i], &sql->binds[i], mysql_fetch_field_direct(about, i));
    }
    mysql_free_result(about);
    return mysql_stmt_bind_result(sql->statement, sql->binds) == 0;
}

const char *sql_name(const struct sql *sql) {
    return sql_statement_name(sql->slot);
}

/* An error that arrives among the rows is reported on the connection only. */
static const char *failure_text(const struct sql *sql) {
    return mysql_stmt_errno(sql->statement) != 0 ? mysql_stmt_error(sql->statement)
                                                 : mysql_error(sql->connection->mysql);
}

static void log_failure(const struct sql *sql, unsigned error, enum status status) {
    const char *text = failure_text(sql);
    bool in_full = error_text_may_be_logged(error);
    log_line(LOG_ERROR, "database: statement %s failed: %s%s (%u)%s", sql_name(sql), in_full ? text : "SQLSTATE ",
             in_full ? "" : mysql_sqlstate(sql->connection->mysql), error, error_mend(error, status));
}

#define LOCK_WAIT_TOLD_EVERY (10 * SECOND)

static bool waits_for_locks(const struct sql *sql) {
    return !text_begins(text_of(sql_statement_text(sql->slot)), TEXT(SQL_WITHOUT_WAITING));
}

/* The statement is retried and usually succeeds, so a line now and then is enough to find who holds locks for long. A
 * statement that does not wait for locks logs nothing. */
static void log_lock_wait(const struct sql *sql) {
    static _Atomic duration told_at = INT64_MIN;
    duration now = clock_monotonic(), last = atomic_load(&told_at);
    bool is_due = waits_for_locks(sql) && (last == INT64_MIN || now - last >= LOCK_WAIT_TOLD_EVERY);
    if (is_due && atomic_compare_exchange_strong(&told_at, &last, now)) {
        log_line(LOG_WARNING,
                 "database: statement %s gave up waiting for a row that another session has locked: database.md (Locks "
                 "and slow statements) says how to find that session%s",
                 sql_name(sql),
                 sql->connection->one_of_several
                     ? "; in a Galera cluster perhaps for what other servers have committed (cluster.md, "
                       "repl.causal_read_timeout)"
                     : "");
    }
}

static enum status judge_error(struct sql *sql, bool sent) {
    unsigned error = mysql_stmt_errno(sql->statement);
    if (error == 0) {
        error = mysql_errno(sql->connection->mysql);
    }
    enum status status = connection_judge_error(sql->connection, error, sent);
    if (error == ER_LOCK_DEADLOCK) {
        unit_note_undone(sql->connection, status);
    }
    if (status == STATUS_FAULT || status == STATUS_FULL || sql->connection->met_read_only) {
        log_failure(sql, error, status);
    } else if (status == STATUS_AWAY || status == STATUS_UNSURE) {
        log_line(LOG_ERROR, "database: %s while %s ran (%u)%s",
                 status == STATUS_UNSURE ? "the connection was lost, or no answer came in time," : "it went away",
                 sql_name(sql), error,
                 status == STATUS_UNSURE ? "; whether it wrote anything is unknown until it is repeated" : "");
    }
    if (error == ER_LOCK_WAIT_TIMEOUT) {
        log_lock_wait(sql);
    }
    if (status == STATUS_LIMIT) {
        snprintf(sql->connection->reached_limit, LIMIT_NAME_SIZE, "%s", failure_text(sql));
    }
    if (status == STATUS_FULL && !connection_in_transaction(sql->connection)) {
        connection_note_full(sql->connection);
    }
    return status;
}

static struct sql *prepare_statement(struct connection *connection, enum statement slot) {
    const char *text = sql_statement_text(slot);
    struct sql *sql = memory_zeroed(1, sizeof *sql);
    sql->statement = memory_needed(mysql_stmt_init(connection->mysql));
    sql->connection = connection;
    sql->slot = slot;
    if (ask_prepare(connection, sql->statement, text) != 0 || !bind_columns(sql)) {
        sql->failed_to_prepare = true;
        sql->prepare_status = judge_error(sql, false);
    } else {
        unit_ask_undone(connection);
    }
    sql->parameter_count = (unsigned)mysql_stmt_param_count(sql->statement);
    assert(sql->parameter_count <= PARAMETERS_MAX);
    connection->prepared[slot] = sql;
    return sql;
}

struct sql *sql_begin(struct connection *connection, enum statement slot) {
    struct sql *sql = connection->prepared[slot];
    if (sql == NULL) {
        sql = prepare_statement(connection, slot);
    }
    sql->parameters_given = 0;
    sql->columns_read = 0;
    return sql;
}

/* Reads the rows that are left: an error may follow the last one. */
static void read_to_end(struct sql *sql) {
    enum status status = STATUS_OK;
    while (sql->has_more && status == STATUS_OK) {
        status = sql_next(sql);
    }
    if (status != STATUS_OK && status != STATUS_NONE) {
        unit_note_undone(sql->connection, status);
    }
}

void sql_end(struct sql *sql) {
    if (sql->failed_to_prepare) {
        struct connection *connection = sql->connection;
        connection->prepared[sql->slot] = NULL;
        mysql_stmt_close(sql->statement);
        free(sql);
        return;
    }
    read_to_end(sql);
    ask_free_result(sql->connection, sql->statement);
}

static unsigned next_parameter(struct sql *sql) {
    assert(sql->failed_to_prepare || sql->parameters_given < sql->parameter_count);
    unsigned at = sql->parameters_given++ % PARAMETERS_MAX;
    memset(&sql->parameters[at], 0, sizeof sql->parameters[at]);
    return at;
}

static void bind_parameter(struct sql *sql, unsigned at, enum enum_field_types type, const void *value, size_t size) {
    MYSQL_BIND *bind = &sql->parameters[at];
    bind->buffer_type = type;
    bind->buffer = (void *)(uintptr_t)value;
    bind->buffer_length = size;
}

void sql_text(struct sql *sql, struct text value) {
    bind_parameter(sql, next_parameter(sql), MYSQL_TYPE_STRING, value.size == 0 ? "" : value.at, value.size);
}

void sql_text_or_null(struct sql *sql, struct text value) {
    if (value.size > 0) {
        sql_text(sql, value);
    } else {
        bind_parameter(sql, next_parameter(sql), MYSQL_TYPE_NULL, NULL, 0);
    }
}

void sql_number(struct sql *sql, uint64_t value) {
    unsigned at = next_parameter(sql);
    sql->values[at].number = value;
    bind_parameter(sql, at, MYSQL_TYPE_LONGLONG, &sql->values[at].number, 0);
    sql->parameters[at].is_unsigned = 1;
}

void sql_number_or_null(struct sql *sql, uint64_t value) {
    if (value != 0) {
        sql_number(sql, value);
    } else {
        bind_parameter(sql, next_parameter(sql), MYSQL_TYPE_NULL, NULL, 0);
    }
}

void sql_money(struct sql *sql, struct money value) {
    unsigned at = next_parameter(sql);
    const char *text = money_print(value, MONEY_DECIMALS, sql->values[at].money);
    bind_parameter(sql, at, MYSQL_TYPE_NEWDECIMAL, text, strlen(text)); /* the server would add a string as a double */
}

void sql_instant(struct sql *sql, instant value) {
    unsigned at = next_parameter(sql);
    struct civil c = instant_to_civil(value);
    sql->values[at].time = (MYSQL_TIME){.year = c.year,
                                        .month = c.month,
                                        .day = c.day,
                                        .hour = c.hour,
                                        .minute = c.minute,
                                        .second = c.second,
                                        .second_part = c.microsecond,
                                        .time_type = MYSQL_TIMESTAMP_DATETIME};
    bind_parameter(sql, at, MYSQL_TYPE_DATETIME, &sql->values[at].time, 0);
}

/* The last second that MariaDB knows. */
#define LATER_THAN_ALL (INT64_C(253402300799) * SECOND)

void sql_bound(struct sql *sql, instant bound) {
    sql_instant(sql, bound == 0 ? LATER_THAN_ALL : bound);
}

void sql_bytes(struct sql *sql, const void *bytes, size_t size) {
    bind_parameter(sql, next_parameter(sql), MYSQL_TYPE_BLOB, bytes, size);
}

/* The message is "Duplicate entry '...' for key 'NAME'": the name is the last quoted word. */
static void note_clashed_key(struct sql *sql) {
    const char *message = mysql_stmt_error(sql->statement);
    const char *end = strrchr(message, '\'');
    const char *start = end;
    while (start != NULL && start > message && start[-1] != '\'') {
        start--;
    }
    size_t size = start == NULL ? 0 : (size_t)(end - start);
    size = size < KEY_NAME_SIZE ? size : KEY_NAME_SIZE - 1;
    memcpy(sql->clashed_key, start == NULL ? "" : start, size);
    sql->clashed_key[size] = '\0';
}

static enum status execute(struct sql *sql) {
    if (sql->failed_to_prepare) {
        return sql->prepare_status;
    }
    enum status undone = unit_undone(sql->connection);
    if (undone != STATUS_OK) {
        return undone;
    }
    sql->has_more = false;
    assert(sql->parameters_given == sql->parameter_count);
    if (sql->parameter_count > 0 && mysql_stmt_bind_param(sql->statement, sql->parameters) != 0) {
        return judge_error(sql, false);
    }
    if (ask_execute(sql->connection, sql->statement) != 0) {
        enum status status = judge_error(sql, true);
        if (status == STATUS_CLASH) {
            note_clashed_key(sql);
        }
        return status;
    }
    return STATUS_OK;
}

enum status sql_run(struct sql *sql, uint64_t *matched) {
    enum status status = execute(sql);
    if (status == STATUS_OK) {
        sql->inserted_id = mysql_stmt_insert_id(sql->statement);
        if (matched != NULL) {
            *matched = mysql_stmt_affected_rows(sql->statement);
        }
    }
    return status;
}

enum status sql_run_and_end(struct sql *sql) {
    enum status status = sql_run(sql, NULL);
    sql_end(sql);
    return status;
}

enum status sql_next(struct sql *sql) {
    int outcome = ask_fetch(sql->connection, sql->statement);
    sql->columns_read = 0;
    sql->has_more = outcome == 0 || outcome == MYSQL_DATA_TRUNCATED;
    if (outcome == MYSQL_NO_DATA) {
        return STATUS_NONE;
    }
    return outcome == 0 || outcome == MYSQL_DATA_TRUNCATED ? STATUS_OK : judge_error(sql, true);
}

/* MariaDB reports the columns of INSERT ... SELECT ... RETURNING only when it runs the statement. */
static bool knows_columns(struct sql *sql) {
    return sql->column_count > 0 || mysql_stmt_field_count(sql->statement) == 0 || bind_columns(sql);
}

enum status sql_first(struct sql *sql) {
    enum status status = execute(sql);
    if (status == STATUS_OK && !knows_columns(sql)) {
        status = judge_error(sql, true);
    }
    return status == STATUS_OK ? sql_next(sql) : status;
}

enum status sql_end_list(struct sql *sql, enum status status) {
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status sql_end_single(struct sql *sql, enum status status) {
    return sql_end_list(sql, status == STATUS_OK ? sql_next(sql) : status);
}

static struct column *next_column(struct sql *sql) {
    assert(sql->columns_read < sql->column_count);
    return &sql->columns[sql->columns_read++];
}

/* The server sends some computed whole numbers as decimals, so they are bound as text. */
uint64_t sql_get_number(struct sql *sql) {
    const struct column *column = next_column(sql);
    uint64_t number = column->is_null ? 0 : column->number;
    if (!column->is_null && column->text != NULL) {
        bool parsed = text_to_number((struct text){column->text, column->size}, &number);
        assert(parsed);
    }
    return number;
}

struct money sql_get_money(struct sql *sql) {
    const struct column *column = next_column(sql);
    struct money amount = {0};
    if (!column->is_null) {
        bool parsed = money_parse((struct text){column->text, column->size}, &amount);
        assert(parsed);
    }
    return amount;
}

instant sql_get_instant(struct sql *sql) {
    const struct column *column = next_column(sql);
    instant at = 0;
    if (!column->is_null) {
        const MYSQL_TIME *time = &column->time;
        struct civil civil = {
            time->year, time->month, time->day, time->hour, time->minute, time->second, (unsigned)time->second_part};
        bool valid = instant_of_civil(&civil, &at);
        assert(valid);
    }
    return at;
}

struct text sql_get_text(struct sql *sql, struct arena *arena) {
    const struct column *column = next_column(sql);
    if (column->is_null) {
        return (struct text){NULL, 0};
    }
    size_t room = sql->binds[sql->columns_read - 1].buffer_length;
    return arena_copy(arena, (struct text){column->text, column->size < room ? column->size : room});
}

bool sql_is_null(const struct sql *sql) {
    assert(sql->columns_read < sql->column_count);
    return sql->columns[sql->columns_read].is_null;
}

uint64_t sql_inserted_id(const struct sql *sql) {
    return sql->inserted_id;
}

const char *sql_reached_limit(const struct connection *connection) {
    return connection->reached_limit;
}

bool sql_clashed_on(const struct sql *sql, const char *key) {
    return strcmp(sql->clashed_key, key) == 0;
}
