#include "store/console/orders.h"

#include "domain/external/integration.h"
#include "store/console/scoped.h"
#include "store/order/order_now_row.h"

#define ORDER_TABLES " JOIN orders_now v ON v.id = o.id"
#define FOUND        " ORDER BY o.id DESC LIMIT 50"

const char sql_text_of_console_order_find[] = "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM orders o" ORDER_TABLES
                                              " WHERE o.id = ? AND " IN_SCOPE("o.merchant_id");

/* Joins the integrations whose code the reference begins with; without one, returns one row with NULLs. */
const char sql_text_of_console_order_asked[] =
    "SELECT p.enabled, i.kind, i.code, n.name FROM orders o STRAIGHT_JOIN merchants p ON p.id = o.merchant_id"
    " LEFT JOIN integrations i FORCE INDEX (integration_merchant) ON i.merchant_id = o.merchant_id"
    " AND i.removed_at IS NULL AND LEFT(o.reference, LENGTH(i.code)) = i.code"
    " LEFT JOIN networks n ON n.id = i.network_id WHERE o.id = ? AND " IN_SCOPE("o.merchant_id");

const char sql_text_of_console_order_by_reference[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM orders o FORCE INDEX (reference)" ORDER_TABLES
    " WHERE o.reference = ? AND " IN_SCOPE("o.merchant_id") FOUND;

const char sql_text_of_console_order_by_old_reference[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM reference_owners r JOIN orders o ON o.id = r.left_by" ORDER_TABLES
    " WHERE r.reference = ? AND " IN_SCOPE("o.merchant_id");

const char sql_text_of_console_order_by_document[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM orders o FORCE INDEX (document)" ORDER_TABLES
    " WHERE o.document = ? AND " IN_SCOPE("o.merchant_id") FOUND;

const char sql_text_of_console_order_by_token[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM orders o" ORDER_TABLES
    " WHERE o.token = ? AND " IN_SCOPE("o.merchant_id");

const char sql_text_of_console_order_by_webhook_id[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM notifications n JOIN orders o ON o.id = n.order_id" ORDER_TABLES
    " WHERE n.webhook_id = ? AND " IN_SCOPE("o.merchant_id");

/* The key begins with the merchant, so a statement tries this many merchants and returns at least one row for each. */
const char sql_text_of_console_order_by_po_id[] =
    "SELECT STRAIGHT_JOIN m.id, " ORDER_NOW_COLUMNS " FROM (SELECT p.id FROM merchants p WHERE p.id > ? AND " IN_SCOPE(
        "p.id") " ORDER BY p.id LIMIT 150) m LEFT JOIN (orders o FORCE INDEX (merchant_order)" ORDER_TABLES
                ") ON o.merchant_id = m.id AND o.po_id = ? ORDER BY m.id";

#define LISTED " ORDER BY o.id DESC LIMIT 250"

const char sql_text_of_console_order_list[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM orders o FORCE INDEX (PRIMARY)" ORDER_TABLES
    " WHERE o.id < ? AND " FOR_ALL LISTED;

const char sql_text_of_console_order_list_of_merchant[] =
    "SELECT STRAIGHT_JOIN " ORDER_NOW_COLUMNS " FROM orders o FORCE INDEX (merchant)" ORDER_TABLES
    " WHERE o.merchant_id = ? AND o.id < ? AND " IN_SCOPE("o.merchant_id") LISTED;

enum { MERCHANTS_AT_ONCE = 150, ORDERS_AT_ONCE = 250 };

enum status console_orders_find(const struct console_reader *reader, uint64_t id, struct order_now *out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_order_find);
    sql_number(sql, id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        order_now_get(sql, reader->arena, out);
    }
    sql_end(sql);
    return status;
}

enum status console_orders_asked(const struct console_reader *reader, const struct order_now *order,
                                 struct console_asked *out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_order_asked);
    sql_number(sql, order->id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    enum status found = status;
    bool by_all = false;
    *out = (struct console_asked){false, false, TEXT("")};
    for (; status == STATUS_OK; status = sql_next(sql)) {
        out->merchant_enabled = sql_get_number(sql) != 0;
        struct integration integration = {.kind = (enum integration_kind)sql_get_number(sql)};
        integration.code = sql_get_text(sql, reader->arena);
        struct text network = sql_get_text(sql, reader->arena);
        if (integration.code.size > 0 && integration_fits(&integration, order->reference, 0)) {
            out->has_integration = true;
            by_all = by_all || integration.kind == INTEGRATION_PREFIX;
            out->networks = arena_print(reader->arena, "%.*s%s%.*s", TEXT_ARGS(out->networks),
                                        out->networks.size > 0 ? ", " : "", TEXT_ARGS(network));
        }
    }
    if (by_all) {
        out->networks = TEXT("");
    }
    status = sql_end_list(sql, status);
    return status == STATUS_OK ? found : status;
}

/* Searches one batch of merchants; *last: the last one of them. STATUS_NONE: there are no more. */
static enum status search_merchants(const struct console_reader *reader, struct text po_id, uint64_t *last,
                                    void (*each)(void *context, const struct order_now *order), void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_order_by_po_id);
    sql_number(sql, *last);
    bind_scope(sql, reader);
    sql_text(sql, po_id);
    enum status status = sql_first(sql);
    size_t merchants = 0;
    for (; status == STATUS_OK; status = sql_next(sql), merchants++) {
        *last = sql_get_number(sql);
        if (!sql_is_null(sql)) {
            struct order_now order;
            order_now_get(sql, reader->arena, &order);
            each(context, &order);
        }
    }
    status = sql_end_list(sql, status);
    return status == STATUS_OK && merchants < MERCHANTS_AT_ONCE ? STATUS_NONE : status;
}

static enum status search_by_po_id(const struct console_reader *reader, struct text po_id,
                                   void (*each)(void *context, const struct order_now *order), void *context) {
    uint64_t last = reader->scope.everything || reader->scope.merchant_id == 0 ? 0 : reader->scope.merchant_id - 1;
    enum status status = STATUS_OK;
    while (status == STATUS_OK) {
        status = search_merchants(reader, po_id, &last, each, context);
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status console_orders_search(const struct console_reader *reader, enum console_order_key key, struct text value,
                                  void (*each)(void *context, const struct order_now *order), void *context) {
    static const enum statement STATEMENTS_BY_KEY[] = {[CONSOLE_BY_REFERENCE] = SQL_console_order_by_reference,
                                                       [CONSOLE_BY_OLD_REFERENCE] = SQL_console_order_by_old_reference,
                                                       [CONSOLE_BY_DOCUMENT] = SQL_console_order_by_document,
                                                       [CONSOLE_BY_TOKEN] = SQL_console_order_by_token,
                                                       [CONSOLE_BY_WEBHOOK_ID] = SQL_console_order_by_webhook_id};
    if (key == CONSOLE_BY_PO_ID) {
        return search_by_po_id(reader, value, each, context);
    }
    struct sql *sql = sql_begin(reader->connection, STATEMENTS_BY_KEY[key]);
    sql_text(sql, value);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct order_now order;
        order_now_get(sql, reader->arena, &order);
        each(context, &order);
    }
    return sql_end_list(sql, status);
}

static bool order_passes(const struct order_now *order, const struct console_filter *filter) {
    return is_within(filter, order->created_at) && is_asked_for(filter->state, order->state) &&
           is_asked_for(filter->currency, order->currency);
}

static struct sql *begin_scoped_order_list(const struct console_reader *reader, uint64_t merchant_id,
                                           const struct console_place *place) {
    struct sql *sql =
        sql_begin(reader->connection, merchant_id == 0 ? SQL_console_order_list : SQL_console_order_list_of_merchant);
    if (merchant_id != 0) {
        sql_number(sql, merchant_id);
    }
    sql_number(sql, id_before(place));
    bind_scope(sql, reader);
    return sql;
}

enum status console_orders_list(const struct console_reader *reader, const struct console_filter *filter,
                                struct console_place *place, bool (*each)(void *context, const struct order_now *order),
                                void *context) {
    uint64_t merchant_id;
    place->ended = !find_merchant_of_list(reader, filter->merchant_id, &merchant_id);
    if (place->ended) {
        return STATUS_OK;
    }
    struct sql *sql = begin_scoped_order_list(reader, merchant_id, place);
    enum status status = sql_first(sql);
    size_t read = 0;
    bool goes_on = true;
    while (status == STATUS_OK && goes_on) {
        struct order_now order;
        order_now_get(sql, reader->arena, &order);
        *place = (struct console_place){order.id, order.created_at, false};
        read++;
        goes_on = !order_passes(&order, filter) || each(context, &order);
        status = goes_on ? sql_next(sql) : status;
    }
    place->ended = status == STATUS_NONE && read < ORDERS_AT_ONCE;
    return sql_end_list(sql, status);
}
