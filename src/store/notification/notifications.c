#include "store/notification/notification_rows.h"

const char sql_text_of_notification_find[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n" NOTIFICATION_TABLES " WHERE n.id = ?";

const char sql_text_of_notification_find_by_webhook_id[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n" NOTIFICATION_TABLES " WHERE n.webhook_id = ?";

const char sql_text_of_notification_of_order[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n" NOTIFICATION_TABLES
    " WHERE n.order_id = ? ORDER BY n.sequence, n.id";

/* Each list reads an index backwards that has its order. */
const char sql_text_of_notification_list[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (PRIMARY)" NOTIFICATION_TABLES
    " ORDER BY n.id DESC LIMIT ?";

const char sql_text_of_notification_list_of_merchant[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (of_merchant)" NOTIFICATION_TABLES
    " WHERE n.merchant_id = ? ORDER BY n.created_at DESC, n.id DESC LIMIT ?";

const char sql_text_of_notification_list_in_state[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (due)" NOTIFICATION_TABLES
    " WHERE n.state = ? ORDER BY n.due_at DESC, n.id DESC LIMIT ?";

const char sql_text_of_notification_list_of_merchant_in_state[] =
    "SELECT " NOTIFICATION_COLUMNS " FROM notifications n FORCE INDEX (merchant)" NOTIFICATION_TABLES
    " WHERE n.state = ? AND n.merchant_id = ? ORDER BY n.due_at DESC, n.id DESC LIMIT ?";

const char sql_text_of_attempt_of_notification[] =
    "SELECT " ATTEMPT_COLUMNS
    " FROM attempts a FORCE INDEX (one_per_lease) LEFT JOIN dispatchers d ON d.id = a.dispatcher_id"
    " WHERE a.notification_id = ? ORDER BY a.id";

const char sql_text_of_attempt_of_order[] =
    "SELECT " ATTEMPT_COLUMNS " FROM notifications n STRAIGHT_JOIN attempts a FORCE INDEX (one_per_lease)"
    " ON a.notification_id = n.id LEFT JOIN dispatchers d ON d.id = a.dispatcher_id WHERE n.order_id = ? ORDER BY a.id";

void notification_row_get(struct sql *sql, struct arena *arena, struct notification_row *out) {
    out->id = sql_get_number(sql);
    out->webhook_id = sql_get_text(sql, arena);
    out->order_id = sql_get_number(sql);
    out->po_id = sql_get_text(sql, arena);
    out->merchant = sql_get_text(sql, arena);
    out->url = sql_get_text(sql, arena);
    out->sequence = sql_get_number(sql);
    out->status = sql_get_text(sql, arena);
    out->state = sql_get_text(sql, arena);
    out->amount = sql_get_money(sql);
    out->currency = sql_get_text(sql, arena);
    out->payment_means = sql_get_text(sql, arena);
    out->attempts = sql_get_number(sql);
    out->last_reason = sql_get_text(sql, arena);
    out->due_at = sql_get_instant(sql);
    out->in_hand = sql_get_number(sql) != 0;
    out->created_at = sql_get_instant(sql);
    out->settled_at = sql_get_instant(sql);
    out->changed_by = sql_get_text(sql, arena);
}

static enum status get_notifications(struct sql *sql, struct arena *arena,
                                     void (*each)(void *context, const struct notification_row *notification),
                                     void *context) {
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct notification_row notification;
        notification_row_get(sql, arena, &notification);
        each(context, &notification);
    }
    return sql_end_list(sql, status);
}

static enum status get_first_notification(struct sql *sql, struct arena *arena, struct notification_row *out) {
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        notification_row_get(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status notifications_find(struct connection *connection, uint64_t id, struct arena *arena,
                               struct notification_row *out) {
    struct sql *sql = sql_begin(connection, SQL_notification_find);
    sql_number(sql, id);
    return get_first_notification(sql, arena, out);
}

enum status notifications_find_by_webhook_id(struct connection *connection, struct text webhook_id, struct arena *arena,
                                             struct notification_row *out) {
    struct sql *sql = sql_begin(connection, SQL_notification_find_by_webhook_id);
    sql_text(sql, webhook_id);
    return get_first_notification(sql, arena, out);
}

enum status notifications_list(struct connection *connection, const struct notification_filter *filter,
                               struct arena *arena,
                               void (*each)(void *context, const struct notification_row *notification),
                               void *context) {
    static const enum statement LISTS[2][2] = {
        {SQL_notification_list, SQL_notification_list_of_merchant},
        {SQL_notification_list_in_state, SQL_notification_list_of_merchant_in_state}};
    struct sql *sql = sql_begin(connection, LISTS[filter->state.size > 0][filter->merchant_id != 0]);
    if (filter->state.size > 0) {
        sql_text(sql, filter->state);
    }
    if (filter->merchant_id != 0) {
        sql_number(sql, filter->merchant_id);
    }
    sql_number(sql, filter->limit);
    return get_notifications(sql, arena, each, context);
}

enum status notifications_of_order(struct connection *connection, uint64_t order_id, struct arena *arena,
                                   void (*each)(void *context, const struct notification_row *notification),
                                   void *context) {
    struct sql *sql = sql_begin(connection, SQL_notification_of_order);
    sql_number(sql, order_id);
    return get_notifications(sql, arena, each, context);
}

void attempt_row_get(struct sql *sql, struct arena *arena, struct attempt_row *out) {
    out->notification_id = sql_get_number(sql);
    out->number = sql_get_number(sql);
    out->started_at = sql_get_instant(sql);
    out->took = (duration)sql_get_number(sql);
    out->url = sql_get_text(sql, arena);
    out->address = sql_get_text(sql, arena);
    out->http_status = sql_get_number(sql);
    out->reason = sql_get_text(sql, arena);
    out->late = sql_get_number(sql) != 0;
    out->reply = sql_get_text(sql, arena);
    out->dispatcher = sql_get_text(sql, arena);
}

static enum status get_attempts(struct sql *sql, uint64_t of, struct arena *arena,
                                void (*each)(void *context, const struct attempt_row *attempt), void *context) {
    sql_number(sql, of);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct attempt_row attempt;
        attempt_row_get(sql, arena, &attempt);
        each(context, &attempt);
    }
    return sql_end_list(sql, status);
}

enum status attempts_of_notification(struct connection *connection, uint64_t notification_id, struct arena *arena,
                                     void (*each)(void *context, const struct attempt_row *attempt), void *context) {
    return get_attempts(sql_begin(connection, SQL_attempt_of_notification), notification_id, arena, each, context);
}

enum status attempts_of_order(struct connection *connection, uint64_t order_id, struct arena *arena,
                              void (*each)(void *context, const struct attempt_row *attempt), void *context) {
    return get_attempts(sql_begin(connection, SQL_attempt_of_order), order_id, arena, each, context);
}
