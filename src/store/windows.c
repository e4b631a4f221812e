#include "store/windows.h"

#include "store/batch.h"
#include "store/guarded.h"
#include "store/sql.h"

const char sql_text_of_window_closed_orders[] =
    "SELECT t.id FROM transactions t JOIN orders o ON o.id = t.order_id"
    " WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6) AND o.state = 'PENDIENTE' AND o.held_by = t.id"
    " ORDER BY t.window_ends_at, t.id LIMIT ? FOR UPDATE SKIP LOCKED";

const char sql_text_of_window_finalise_orders[] =
    "UPDATE " BATCH " STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id"
    " STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id"
    "   SET t.state = 'FINALIZADA', t.finalised_at = UTC_TIMESTAMP(6), t.changed_by = 'dispatcher',"
    "       o.state = 'APROBADA', o.paid_by = t.id, o.held_by = NULL, o.held_until = NULL, o.changed_by = 'dispatcher'"
    " WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6) AND o.state = 'PENDIENTE' AND o.held_by = t.id";

/* Locked, so that a merchant that gets its address at this moment finds every notification that waits for one. */
const char sql_text_of_window_notify[] =
    "INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)"
    " SELECT o.id, o.merchant_id, 'approved', IF(m.notify_url IS NULL, 'unaddressed', 'pending'), t.amount,"
    "        COALESCE(o.payment_means, n.name)"
    "   FROM " BATCH " STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id"
    "  STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id"
    "  STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id"
    "  STRAIGHT_JOIN networks n FORCE INDEX (PRIMARY) ON n.id = t.network_id LOCK IN SHARE MODE";

/* What a DECIMAL(19,4) holds. A top-up that its account has no room for stays CONFIRMADA and keeps nobody else waiting; due_now shows it. */
#define GREATEST_BALANCE "999999999999999.9999"

const char sql_text_of_window_closed_top_ups[] =
    "SELECT t.id, t.account_id, t.amount FROM transactions t STRAIGHT_JOIN accounts a ON a.id = t.account_id"
    " WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6)"
    "   AND a.balance <= " GREATEST_BALANCE " - t.amount"
    " ORDER BY t.window_ends_at, t.id LIMIT ? FOR UPDATE SKIP LOCKED";

const char sql_text_of_window_finalise_top_up[] =
    "UPDATE transactions SET state = 'FINALIZADA', finalised_at = UTC_TIMESTAMP(6), changed_by = 'dispatcher'"
    " WHERE id = ? AND state = 'CONFIRMADA' AND window_ends_at <= UTC_TIMESTAMP(6)";

const char sql_text_of_window_credit[] =
    "UPDATE accounts SET balance = balance + ?, changed_by = 'dispatcher' WHERE id = ? AND balance <= " GREATEST_BALANCE
    " - ?";

const char sql_text_of_window_ledger[] = "INSERT INTO account_ledger (account_id, transaction_id, amount, balance)"
                                         " SELECT id, ?, ?, balance FROM accounts WHERE id = ?";

const char sql_text_of_window_finalise_order[] = "SELECT order_finalise(?, ?)";

struct finalising {
    struct arena *arena;
    uint64_t batch;
    uint64_t finalised;
};

static enum status finalise_orders(struct connection *connection, void *context) {
    struct finalising *work = context;
    struct text ids;
    work->finalised = 0;
    uint64_t count = 0;
    enum status status = batch_claim(connection, SQL_window_closed_orders, work->batch, work->arena, &ids, &count);
    if (status != STATUS_OK) {
        return status;
    }
    uint64_t changed = 0;
    status = batch_run(connection, SQL_window_finalise_orders, ids, &changed);
    if (status == STATUS_OK && changed != 2 * count) {
        return STATUS_AGAIN;
    }
    if (status == STATUS_OK) {
        status = batch_run(connection, SQL_window_notify, ids, NULL);
    }
    work->finalised = status == STATUS_OK ? count : 0;
    return status;
}

enum status windows_finalise_orders(struct connection *connection, struct arena *arena, uint64_t batch,
                                    uint64_t *finalised) {
    struct finalising work = {arena, batch, 0};
    enum status status = sql_transact(connection, finalise_orders, &work);
    *finalised = work.finalised;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status windows_finalise_order(struct connection *connection, uint64_t order_id, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_window_finalise_order);
    sql_number(sql, order_id);
    sql_text(sql, actor);
    enum status status = sql_first(sql);
    bool written = status == STATUS_OK && sql_get_number(sql) != 0;
    sql_end(sql);
    return status == STATUS_OK && !written ? STATUS_NONE : status;
}

struct top_up {
    uint64_t transaction_id, account_id;
    struct money amount;
};

static enum status run_one(struct sql *sql) {
    uint64_t matched = 0;
    enum status status = sql_run(sql, &matched);
    sql_end(sql);
    return status == STATUS_OK && matched != 1 ? STATUS_FAULT : status;
}

/* STATUS_NONE: an earlier one of this batch has left no room in the account. */
static enum status add_to_balance(struct connection *connection, const struct top_up *top_up) {
    struct sql *sql = sql_begin(connection, SQL_window_credit);
    sql_money(sql, top_up->amount);
    sql_number(sql, top_up->account_id);
    sql_money(sql, top_up->amount);
    return guarded_run(sql);
}

static enum status credit(struct connection *connection, const struct top_up *top_up) {
    enum status status = add_to_balance(connection, top_up);
    if (status != STATUS_OK) {
        return status;
    }
    struct sql *sql = sql_begin(connection, SQL_window_finalise_top_up);
    sql_number(sql, top_up->transaction_id);
    status = run_one(sql);
    if (status == STATUS_OK) {
        sql = sql_begin(connection, SQL_window_ledger);
        sql_number(sql, top_up->transaction_id);
        sql_money(sql, top_up->amount);
        sql_number(sql, top_up->account_id);
        status = run_one(sql);
    }
    return status;
}

static enum status finalise_top_ups(struct connection *connection, void *context) {
    struct finalising *work = context;
    struct top_up *due = arena_alloc(work->arena, work->batch * sizeof *due);
    uint64_t count = 0;
    work->finalised = 0;
    struct sql *sql = sql_begin(connection, SQL_window_closed_top_ups);
    sql_number(sql, work->batch);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        due[count].transaction_id = sql_get_number(sql);
        due[count].account_id = sql_get_number(sql);
        due[count++].amount = sql_get_money(sql);
    }
    sql_end(sql);
    if (status != STATUS_NONE) {
        return status;
    }
    status = STATUS_OK;
    for (uint64_t i = 0; status == STATUS_OK && i < count; i++) {
        status = credit(connection, &due[i]);
        work->finalised += status == STATUS_OK;
        status = status == STATUS_NONE ? STATUS_OK : status;
    }
    return status;
}

enum status windows_finalise_top_ups(struct connection *connection, struct arena *arena, uint64_t batch,
                                     uint64_t *finalised) {
    struct finalising work = {arena, batch, 0};
    enum status status = sql_transact(connection, finalise_top_ups, &work);
    *finalised = status == STATUS_OK ? work.finalised : 0;
    return status;
}
