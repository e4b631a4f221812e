#include "store/operation/purges.h"

#include "store/db/batch.h"
#include "store/db/json.h"
#include "store/db/routine.h"

/* Looked at in one batch: bounds how long rows are locked, and the work of a statement where little of what is old may
 * go. */
enum { BATCH_ROWS = 1000 };

/* All told: also what an operator may still replay counts as not delivered. */
#define UNDELIVERED "SELECT 1 FROM notifications n WHERE n.order_id = o.id AND n.state <> 'delivered'"

#define ORDER_HAS_DATA "COALESCE(o.email, o.document, o.document_type, o.customer_name) IS NOT NULL"
#define TRANSACTION_HAS_DATA                                                                                           \
    "(COALESCE(t.given_names, t.surname1, t.surname2) IS NOT NULL OR (t.account_id IS NOT NULL AND t.description <> "  \
    "''))"
#define TRANSACTION_IS_DONE                                                                                            \
    "t.state IN ('FINALIZADA', 'CANCELADA')"                                                                           \
    " AND (o.id IS NULL OR (o.state <> 'PENDIENTE' AND NOT EXISTS (" UNDELIVERED ")))"

/*
 * The finders: parameters are `before`; then, from where the last batch ended, the instant, `before`, the instant and
 * the id; and how many rows to look at. Columns are the id, the instant that the rows are in the order of, and whether
 * it may go.
 */
const char sql_text_of_purge_find_attempts[] =
    "SELECT a.id, a.started_at, n.state IN ('delivered', 'exhausted') AND n.settled_at < ?"
    "  FROM attempts a FORCE INDEX (started_at) STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY)"
    "    ON n.id = a.notification_id"
    " WHERE a.started_at >= ? AND a.started_at < ? AND (a.started_at > ? OR a.id > ?) ORDER BY a.started_at, a.id "
    "LIMIT ?";

const char sql_text_of_purge_find_queries[] =
    "SELECT q.id, q.asked_at, q.asked_at < ? FROM external_queries q FORCE INDEX (asked_at)"
    " WHERE q.asked_at >= ? AND q.asked_at < ? AND (q.asked_at > ? OR q.id > ?) ORDER BY q.asked_at, q.id LIMIT ?";

const char sql_text_of_purge_find_transactions[] =
    "SELECT t.id, t.settled_at, t.settled_at < ? AND " TRANSACTION_HAS_DATA " AND " TRANSACTION_IS_DONE
    "  FROM transactions t FORCE INDEX (settled) LEFT JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id"
    " WHERE t.settled_at >= ? AND t.settled_at < ? AND (t.settled_at > ? OR t.id > ?) ORDER BY t.settled_at, t.id "
    "LIMIT ?";

const char sql_text_of_purge_find_orders[] =
    "SELECT o.id, o.created_at, o.changed_at < ? AND o.state <> 'PENDIENTE' AND " ORDER_HAS_DATA
    "       AND NOT EXISTS (" UNDELIVERED ")"
    "  FROM orders o FORCE INDEX (created)"
    " WHERE o.created_at >= ? AND o.created_at < ? AND (o.created_at > ? OR o.id > ?) ORDER BY o.created_at, o.id "
    "LIMIT ?";

/* What leaves no trace of its own: these functions note it. Orders and transactions log each change by themselves. */
const char sql_text_of_purge_attempts[] = "SELECT attempts_purge(?, ?, ?)";

const char sql_text_of_purge_queries[] = "SELECT queries_purge(?, ?, ?)";

/* The description of a top-up is the customer's name. Parameters of both: ids, actor. */
const char sql_text_of_purge_transactions[] =
    "UPDATE " BATCH " STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id"
    "  LEFT JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id"
    "   SET t.given_names = NULL, t.surname1 = NULL, t.surname2 = NULL,"
    "       t.description = IF(t.account_id IS NULL, t.description, ''), t.changed_by = ?"
    " WHERE " TRANSACTION_HAS_DATA " AND " TRANSACTION_IS_DONE;

const char sql_text_of_purge_orders[] =
    "UPDATE " BATCH " STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = batch.id"
    "   SET o.email = NULL, o.document = NULL, o.document_type = NULL, o.customer_name = NULL, o.changed_by = ?"
    " WHERE o.state <> 'PENDIENTE' AND " ORDER_HAS_DATA " AND NOT EXISTS (" UNDELIVERED ")";

static const struct {
    enum statement find, write;
    bool is_routine; /* whose parameters are the ids, the reason and the actor */
} KINDS[PURGE_KINDS] = {
    [PURGE_ATTEMPTS] = {SQL_purge_find_attempts, SQL_purge_attempts, true},
    [PURGE_QUERIES] = {SQL_purge_find_queries, SQL_purge_queries, true},
    [PURGE_TRANSACTIONS] = {SQL_purge_find_transactions, SQL_purge_transactions, false},
    [PURGE_ORDERS] = {SQL_purge_find_orders, SQL_purge_orders, false},
};

struct position {
    instant at;
    uint64_t id;
};

struct purging {
    const struct purge *purge;
    struct json json;
    struct text ids; /* of those that may go */
    size_t found, looked_at;
    uint64_t written;
};

static enum status find(struct connection *connection, struct purging *work, struct position *from) {
    const struct purge *purge = work->purge;
    struct sql *sql = sql_begin(connection, KINDS[purge->kind].find);
    sql_instant(sql, purge->before);
    sql_instant(sql, from->at);
    sql_instant(sql, purge->before);
    sql_instant(sql, from->at);
    sql_number(sql, from->id);
    sql_number(sql, BATCH_ROWS);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK && work->looked_at < BATCH_ROWS; status = sql_next(sql)) {
        from->id = sql_get_number(sql);
        from->at = sql_get_instant(sql);
        work->looked_at++;
        if (sql_get_number(sql) != 0) {
            json_number(&work->json, from->id);
            work->found++;
        }
    }
    sql_end(sql);
    work->ids = json_end(&work->json, ']');
    return status == STATUS_NONE ? STATUS_OK : status;
}

static enum status write(struct connection *connection, void *context) {
    struct purging *work = context;
    bool is_routine = KINDS[work->purge->kind].is_routine;
    struct sql *sql = sql_begin(connection, KINDS[work->purge->kind].write);
    sql_text(sql, work->ids);
    if (is_routine) {
        sql_text(sql, work->purge->reason);
    }
    sql_text(sql, work->purge->actor);
    if (is_routine) {
        return routine_count(sql, &work->written);
    }
    enum status status = sql_run(sql, &work->written);
    sql_end(sql);
    return status;
}

/* STATUS_NONE: there is nothing behind this batch. */
static enum status run_batch(struct connection *connection, struct arena *scratch, const struct purge *purge,
                             struct position *from, uint64_t *count) {
    arena_reset(scratch);
    struct purging work = {.purge = purge, .json = json_begin(scratch, '[')};
    enum status status = find(connection, &work, from);
    if (status == STATUS_OK && work.found > 0 && !purge->dry_run) {
        status = sql_transact(connection, write, &work);
    }
    if (status == STATUS_OK) {
        *count += purge->dry_run ? work.found : work.written;
    }
    return status == STATUS_OK && work.looked_at < BATCH_ROWS ? STATUS_NONE : status;
}

enum status purges_run(struct connection *connection, struct arena *scratch, const struct purge *purge,
                       uint64_t *count) {
    struct position from = {0, 0};
    enum status status = STATUS_OK;
    *count = 0;
    while (status == STATUS_OK) {
        status = run_batch(connection, scratch, purge, &from, count);
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}
