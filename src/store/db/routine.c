#include "store/db/routine.h"

#include "base/memory.h"

enum status routine_count(struct sql *sql, uint64_t *written) {
    enum status status = sql_first(sql);
    *written = status == STATUS_OK ? sql_get_number(sql) : 0;
    return sql_end_single(sql, status);
}

enum status routine_call(struct sql *sql) {
    uint64_t unused;
    return routine_count(sql, &unused);
}

enum status routine_run(struct sql *sql) {
    uint64_t written = 0;
    enum status status = routine_count(sql, &written);
    return status == STATUS_OK && written == 0 ? STATUS_CHANGED : status;
}

enum status routine_outcome(struct sql *sql, uint64_t last, uint64_t *outcome) {
    const char *name = sql_name(sql);
    enum status status = routine_count(sql, outcome);
    if (status == STATUS_OK && *outcome > last) {
        log_line(LOG_ERROR, "database: statement %s returned %llu, which this release does not know", name,
                 (unsigned long long)*outcome);
        status = STATUS_FAULT;
    }
    *outcome = status == STATUS_OK ? *outcome : 0;
    return status;
}

struct batch_call {
    enum statement statement;
    uint64_t batch, written;
};

static enum status call_once(struct connection *connection, void *context) {
    struct batch_call *call = context;
    struct sql *sql = sql_begin(connection, call->statement);
    sql_number(sql, call->batch);
    return routine_count(sql, &call->written);
}

enum status routine_run_batch(struct connection *connection, enum statement statement, uint64_t batch,
                              uint64_t *written) {
    struct batch_call call = {statement, batch, 0};
    enum status status = sql_transact(connection, call_once, &call);
    *written = status == STATUS_OK ? call.written : 0;
    return status;
}

struct due_rows {
    uint64_t *ids, count;
};

static enum status read_due_rows(struct connection *connection, enum statement due, uint64_t most,
                                 struct routine_walk *walk, struct due_rows *rows) {
    struct sql *sql = sql_begin(connection, due);
    sql_bound(sql, walk->began);
    sql_instant(sql, walk->due);
    sql_instant(sql, walk->due);
    sql_number(sql, walk->number);
    sql_number(sql, most);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK && rows->count < most; status = sql_next(sql)) {
        rows->ids[rows->count++] = sql_get_number(sql);
        walk->due = sql_get_instant(sql);
        walk->number = sql_get_number(sql);
        walk->began = walk->began == 0 ? sql_get_instant(sql) : walk->began;
    }
    walk->has_ended = rows->count < most;
    return sql_end_list(sql, status);
}

/* Otherwise a missing function would write a line for each row, at each walk. */
enum { REFUSALS_NAMED = 20 };

static enum status run_single(struct connection *connection, const struct routine_single *single, uint64_t id,
                              struct routine_walk *walk) {
    enum status status = single->write(connection, id);
    walk->written += status == STATUS_OK;
    walk->refused += status_is_refused(status);
    if (status_is_refused(status) && walk->refused <= REFUSALS_NAMED) {
        single->log_refusal(id);
    }
    bool is_this_row = status_is_refused(status) || status == STATUS_CHANGED ||
                       (status == STATUS_AGAIN && !connection_met_read_only(connection));
    return is_this_row ? STATUS_OK : status;
}

enum status routine_run_each(struct connection *connection, enum statement due, uint64_t most,
                             const struct routine_single *single, struct routine_walk *walk) {
    struct due_rows rows = {.ids = memory_zeroed(most, sizeof *rows.ids)};
    enum status status = read_due_rows(connection, due, most, walk, &rows);
    for (uint64_t i = 0; status == STATUS_OK && i < rows.count; i++) {
        status = run_single(connection, single, rows.ids[i], walk);
    }
    if (walk->has_ended && walk->refused > REFUSALS_NAMED) {
        log_line(LOG_ERROR, "%llu more %s cannot be written", (unsigned long long)(walk->refused - REFUSALS_NAMED),
                 single->rows);
    }
    free(rows.ids);
    return status;
}
