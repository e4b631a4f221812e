#include "store/order/orders.h"

#include "store/db/sql.h"
#include "store/order/order_rows.h"

const char sql_text_of_order_insert[] =
    "INSERT INTO orders (merchant_id, po_id, reference, amount, currency, description, payment_means, email, document,"
    " document_type, customer_name, origin, due_at, changed_by)"
    " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM DUAL WHERE ? > UTC_TIMESTAMP(6)";

const char sql_text_of_order_batch_look[] =
    "SELECT line.line, same.id, open.id, COALESCE(open.held_until, open.due_at) <= UTC_TIMESTAMP(6),"
    " owner.reference IS NOT NULL AND owner.merchant_id IS NULL,"
    " IF(owner.merchant_id <> ? AND reference_kept_until(line.reference, owner.merchant_id) > UTC_TIMESTAMP(6),"
    "    owner.merchant_id, NULL),"
    " reference_prefix_owner(line.reference), line.due_at <= UTC_TIMESTAMP(6) FROM " ORDER_ROWS
    " LEFT JOIN orders same ON same.merchant_id = ? AND same.po_id = line.po_id"
    " LEFT JOIN orders open ON open.open_reference = line.reference"
    " LEFT JOIN reference_owners owner ON owner.reference = line.reference"
    " WHERE same.id IS NOT NULL OR open.id IS NOT NULL OR line.due_at <= UTC_TIMESTAMP(6)"
    " OR (owner.reference IS NOT NULL AND NOT owner.merchant_id <=> ?)"
    " OR reference_prefix_owner(line.reference) IS NOT NULL";

const char sql_text_of_order_batch_insert[] =
    "INSERT INTO orders (merchant_id, po_id, reference, amount, currency, description, payment_means, email, document,"
    " document_type, customer_name, origin, due_at, changed_by)"
    " SELECT ?, po_id, reference, amount, currency, description, payment_means, email, document,"
    " document_type, customer_name, ?, due_at, ? FROM " ORDER_ROWS " WHERE line.due_at > UTC_TIMESTAMP(6)";

enum { BATCH_ORDERS = 1000, RUNS_MAX = 3 };

enum status orders_insert(struct connection *connection, const struct new_order *order, struct text actor, uint64_t *id,
                          enum order_clash *clash) {
    uint64_t stored = 0;
    struct sql *sql = sql_begin(connection, SQL_order_insert);
    sql_number(sql, order->merchant_id);
    sql_text(sql, order->po_id);
    sql_text(sql, order->reference);
    sql_money(sql, order->amount);
    sql_text(sql, order->currency);
    sql_text(sql, order->description);
    sql_text_or_null(sql, order->payment_means);
    sql_text_or_null(sql, order->email);
    sql_text_or_null(sql, order->document);
    sql_text_or_null(sql, order->document_type);
    sql_text_or_null(sql, order->customer_name);
    sql_text(sql, order->origin);
    sql_instant(sql, order->due_at);
    sql_text(sql, actor);
    sql_instant(sql, order->due_at);
    enum status status = sql_run(sql, &stored);
    *id = sql_inserted_id(sql);
    *clash = sql_clashed_on(sql, "merchant_order") ? CLASH_ORDER_NUMBER : CLASH_REFERENCE;
    sql_end(sql);
    return status == STATUS_OK && stored == 0 ? STATUS_CHANGED : status;
}

struct storing {
    struct order_batch *batch;
    struct arena *arena; /* reset for each round trip */
};

static enum status look_once(struct connection *connection, struct storing *storing, size_t from, size_t to,
                             bool *again) {
    struct order_batch *batch = storing->batch;
    arena_reset(storing->arena);
    *again = false;
    struct sql *sql = sql_begin(connection, SQL_order_batch_look);
    uint64_t merchant_id = batch->orders[0].order.merchant_id;
    sql_number(sql, merchant_id);
    sql_text(sql, order_rows_print(storing->arena, batch->orders, from, to));
    sql_number(sql, merchant_id);
    sql_number(sql, merchant_id);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct order_obstacle obstacle;
        obstacle.at = sql_get_number(sql);
        obstacle.same_number = sql_get_number(sql);
        obstacle.same_reference = sql_get_number(sql);
        obstacle.is_closing = sql_get_number(sql) != 0;
        obstacle.is_document = sql_get_number(sql) != 0;
        obstacle.kept_by = sql_get_number(sql);
        obstacle.prefix_of = sql_get_number(sql);
        obstacle.is_due = sql_get_number(sql) != 0;
        *again |= batch->judge(batch->context, &obstacle);
    }
    return sql_end_list(sql, status);
}

static enum status look_why(struct connection *connection, struct storing *storing, size_t from, size_t to) {
    bool again = true;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && again) {
        status = look_once(connection, storing, from, to, &again);
    }
    return status;
}

/* An order that fell due after the check is not inserted; then the whole unit runs again. */
static enum status store_order(struct connection *connection, struct storing *storing, size_t from, size_t to) {
    struct order_batch *batch = storing->batch;
    uint64_t stored = 0;
    arena_reset(storing->arena);
    struct sql *sql = sql_begin(connection, SQL_order_batch_insert);
    sql_number(sql, batch->orders[0].order.merchant_id);
    sql_text(sql, batch->orders[0].order.origin);
    sql_text(sql, batch->actor);
    sql_text(sql, order_rows_print(storing->arena, batch->orders, from, to));
    enum status status = sql_run(sql, &stored);
    sql_end(sql);
    return status == STATUS_OK && stored != to - from ? STATUS_AGAIN : status;
}

static bool all_included(const struct order_batch *batch) {
    for (size_t i = 0; i < batch->count; i++) {
        if (!batch->orders[i].included) {
            return false;
        }
    }
    return true;
}

static enum status in_parts(struct connection *connection, struct storing *storing,
                            enum status (*part)(struct connection *, struct storing *, size_t from, size_t to)) {
    enum status status = STATUS_OK;
    size_t count = storing->batch->count;
    for (size_t from = 0; status == STATUS_OK && from < count; from += BATCH_ORDERS) {
        status = part(connection, storing, from, count - from < BATCH_ORDERS ? count : from + BATCH_ORDERS);
    }
    return status;
}

static enum status store_all(struct connection *connection, void *context) {
    struct storing *storing = context;
    enum status status = in_parts(connection, storing, look_why);
    storing->batch->stored = status == STATUS_OK && all_included(storing->batch);
    return storing->batch->stored ? in_parts(connection, storing, store_order) : status;
}

enum status orders_insert_all(struct connection *connection, struct order_batch *batch) {
    struct storing storing = {batch, arena_create()};
    enum status status = STATUS_CLASH;
    for (int runs = 0; status == STATUS_CLASH && runs < RUNS_MAX; runs++) {
        status = sql_transact(connection, store_all, &storing);
    }
    arena_destroy(storing.arena);
    return status;
}
