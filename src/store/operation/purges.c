#include "store/operation/purges.h"

#include "store/db/json.h"
#include "store/db/routine.h"

/* Rows examined in one batch. Bounds how long rows are locked, and a statement's work where few of the old rows may be
 * purged. */
enum { BATCH_ROWS = 1000 };

/*
 * The finders return each row's id and whether it may be purged. The schema's views decide that, without showing what
 * the rows contain. Parameters: `before`, the id where the last batch ended, and how many rows to examine.
 */
#define FIND(kind) "SELECT id, done_at < ? AND may_go FROM " kind "_to_purge WHERE id > ? ORDER BY id LIMIT ?"

const char sql_text_of_purge_find_attempts[] = FIND("attempts");
const char sql_text_of_purge_find_queries[] = FIND("queries");
const char sql_text_of_purge_find_transactions[] = FIND("transactions");
const char sql_text_of_purge_find_orders[] = FIND("orders");

/* The functions of the first two also log the reason, because deleted rows write no events. Orders and transactions log
 * each change by trigger. */
const char sql_text_of_purge_attempts[] = "SELECT attempts_purge(?, ?, ?)";
const char sql_text_of_purge_queries[] = "SELECT queries_purge(?, ?, ?)";
const char sql_text_of_purge_transactions[] = "SELECT transactions_purge(?, ?)";
const char sql_text_of_purge_orders[] = "SELECT orders_purge(?, ?)";

static const struct {
    enum statement find, write;
    bool takes_reason;
} KINDS[PURGE_KINDS] = {
    [PURGE_ATTEMPTS] = {SQL_purge_find_attempts, SQL_purge_attempts, true},
    [PURGE_QUERIES] = {SQL_purge_find_queries, SQL_purge_queries, true},
    [PURGE_TRANSACTIONS] = {SQL_purge_find_transactions, SQL_purge_transactions, false},
    [PURGE_ORDERS] = {SQL_purge_find_orders, SQL_purge_orders, false},
};

enum status purges_find(struct connection *connection, struct arena *arena, const struct purge *purge,
                        struct purge_batch *batch) {
    struct json ids = json_begin(arena, '[');
    uint64_t looked_at = 0;
    struct sql *sql = sql_begin(connection, KINDS[purge->kind].find);
    sql_instant(sql, purge->before);
    sql_number(sql, batch->last_id);
    sql_number(sql, BATCH_ROWS);
    batch->count = 0;
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        batch->last_id = sql_get_number(sql);
        looked_at++;
        if (sql_get_number(sql) != 0) {
            json_number(&ids, batch->last_id);
            batch->count++;
        }
    }
    sql_end(sql);
    batch->ids = json_end(&ids, ']');
    batch->is_last = looked_at < BATCH_ROWS;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status purges_write(struct connection *connection, const struct purge *purge, const struct purge_batch *batch,
                         uint64_t *written) {
    struct sql *sql = sql_begin(connection, KINDS[purge->kind].write);
    sql_text(sql, batch->ids);
    if (KINDS[purge->kind].takes_reason) {
        sql_text(sql, purge->reason);
    }
    sql_text(sql, purge->actor);
    return routine_count(sql, written);
}

struct writing {
    const struct purge *purge;
    const struct purge_batch *batch;
    uint64_t written;
};

static enum status write_purge(struct connection *connection, void *context) {
    struct writing *writing = context;
    return purges_write(connection, writing->purge, writing->batch, &writing->written);
}

static enum status run_batch(struct connection *connection, struct arena *scratch, const struct purge *purge,
                             struct purge_batch *batch, uint64_t *count) {
    struct writing writing = {.purge = purge, .batch = batch};
    arena_reset(scratch);
    enum status status = purges_find(connection, scratch, purge, batch);
    if (status == STATUS_OK && batch->count > 0 && !purge->dry_run) {
        status = sql_transact(connection, write_purge, &writing);
    }
    if (status == STATUS_OK) {
        *count += purge->dry_run ? batch->count : writing.written;
    }
    return status;
}

enum status purges_run(struct connection *connection, struct arena *scratch, const struct purge *purge,
                       uint64_t *count) {
    struct purge_batch batch = {.last_id = 0};
    enum status status = STATUS_OK;
    *count = 0;
    while (status == STATUS_OK && !batch.is_last) {
        status = run_batch(connection, scratch, purge, &batch, count);
    }
    return status;
}
