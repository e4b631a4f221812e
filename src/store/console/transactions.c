#include "store/console/transactions.h"

#include "store/console/scoped.h"
#include "store/payment/transaction_now_row.h"

#define WITH_ORDER " LEFT JOIN orders o ON o.id = t.order_id"

const char sql_text_of_console_transaction_find[] =
    "SELECT STRAIGHT_JOIN " TRANSACTION_NOW_COLUMNS " FROM transactions t" WITH_ORDER TRANSACTION_NOW_TABLES
    " WHERE t.id = ? AND " IN_SCOPE("o.merchant_id");

/* The key begins with the network, so a statement tries this many networks and returns a row for each. */
const char sql_text_of_console_transaction_by_network_id[] =
    "SELECT STRAIGHT_JOIN w.id, " TRANSACTION_NOW_COLUMNS
    " FROM (SELECT id FROM networks WHERE id > ? ORDER BY id LIMIT 150) w"
    " LEFT JOIN (transactions t FORCE INDEX (network_transaction)" WITH_ORDER TRANSACTION_NOW_TABLES
    ") ON t.network_id = w.id AND t.network_transaction = ? AND " IN_SCOPE("o.merchant_id") " ORDER BY w.id";

const char sql_text_of_console_transaction_of_document[] =
    "SELECT STRAIGHT_JOIN " TRANSACTION_NOW_COLUMNS
    " FROM accounts c JOIN transactions t FORCE INDEX (account_id) ON t.account_id = c.id" TRANSACTION_NOW_TABLES
    " WHERE c.document = ? AND " FOR_ALL " ORDER BY t.id DESC LIMIT 50";

const char sql_text_of_console_transaction_of_order[] =
    "SELECT STRAIGHT_JOIN " TRANSACTION_NOW_COLUMNS
    " FROM orders o JOIN transactions t FORCE INDEX (order_id) ON t.order_id = o.id" TRANSACTION_NOW_TABLES
    " WHERE o.id = ? AND " IN_SCOPE("o.merchant_id") " ORDER BY t.id LIMIT 200";

const char sql_text_of_console_transaction_list[] =
    "SELECT STRAIGHT_JOIN t.id, " TRANSACTION_NOW_COLUMNS
    " FROM transactions t FORCE INDEX (PRIMARY)" WITH_ORDER TRANSACTION_NOW_TABLES " WHERE t.id < ? AND " FOR_ALL
    " ORDER BY t.id DESC LIMIT 180";

/* A transaction does not name its merchant, so the list follows the merchant's orders. An order without a transaction
 * gives a row too, so that the list continues after it. */
const char sql_text_of_console_transaction_list_of_merchant[] =
    "SELECT STRAIGHT_JOIN w.id, " TRANSACTION_NOW_COLUMNS
    " FROM (SELECT o.id FROM orders o FORCE INDEX (merchant) WHERE o.merchant_id = ? AND o.id < ? AND " IN_SCOPE(
        "o.merchant_id") " ORDER BY o.id DESC LIMIT 120) w LEFT JOIN (transactions t FORCE INDEX "
                         "(order_id)" TRANSACTION_NOW_TABLES ") ON t.order_id = w.id ORDER BY w.id DESC, t.id DESC";

enum { NETWORKS_AT_ONCE = 150, TRANSACTIONS_AT_ONCE = 180, ORDERS_AT_ONCE = 120 };

enum status console_transactions_find(const struct console_reader *reader, uint64_t id, struct transaction_now *out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_transaction_find);
    sql_number(sql, id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        transaction_now_get(sql, reader->arena, out);
    }
    sql_end(sql);
    return status;
}

/* Searches one batch of networks; *last: the last one of them. STATUS_NONE: there are no more. */
static enum status search_networks(const struct console_reader *reader, struct text network_transaction, uint64_t *last,
                                   void (*each)(void *context, const struct transaction_now *transaction),
                                   void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_transaction_by_network_id);
    sql_number(sql, *last);
    sql_text(sql, network_transaction);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    size_t networks = 0;
    for (; status == STATUS_OK; status = sql_next(sql), networks++) {
        *last = sql_get_number(sql);
        if (!sql_is_null(sql)) {
            struct transaction_now transaction;
            transaction_now_get(sql, reader->arena, &transaction);
            each(context, &transaction);
        }
    }
    status = sql_end_list(sql, status);
    return status == STATUS_OK && networks < NETWORKS_AT_ONCE ? STATUS_NONE : status;
}

enum status console_transactions_search(const struct console_reader *reader, struct text network_transaction,
                                        void (*each)(void *context, const struct transaction_now *transaction),
                                        void *context) {
    uint64_t last = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK) {
        status = search_networks(reader, network_transaction, &last, each, context);
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

static enum status get_transactions(const struct console_reader *reader, struct sql *sql,
                                    void (*each)(void *context, const struct transaction_now *transaction),
                                    void *context) {
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct transaction_now transaction;
        transaction_now_get(sql, reader->arena, &transaction);
        each(context, &transaction);
    }
    return sql_end_list(sql, status);
}

enum status console_transactions_of_document(const struct console_reader *reader, struct text document,
                                             void (*each)(void *context, const struct transaction_now *transaction),
                                             void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_transaction_of_document);
    sql_text(sql, document);
    return get_transactions(reader, sql, each, context);
}

enum status console_transactions_of_order(const struct console_reader *reader, uint64_t order_id,
                                          void (*each)(void *context, const struct transaction_now *transaction),
                                          void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_transaction_of_order);
    sql_number(sql, order_id);
    return get_transactions(reader, sql, each, context);
}

static bool transaction_passes(const struct transaction_now *transaction, const struct console_filter *filter) {
    return is_within(filter, transaction->registered_at) && is_asked_for(filter->state, transaction->state) &&
           is_asked_for(filter->currency, transaction->currency) && is_asked_for(filter->network, transaction->network);
}

static struct sql *begin_transaction_list(const struct console_reader *reader, uint64_t merchant_id,
                                          const struct console_place *place) {
    struct sql *sql = sql_begin(reader->connection, merchant_id == 0 ? SQL_console_transaction_list
                                                                     : SQL_console_transaction_list_of_merchant);
    if (merchant_id != 0) {
        sql_number(sql, merchant_id);
    }
    sql_number(sql, id_before(place));
    bind_scope(sql, reader);
    return sql;
}

/*
 * A merchant's list advances by orders. A call ends only after the last transaction of an order, so `each` may be
 * called for these even after it has returned false.
 */
enum status console_transactions_list(const struct console_reader *reader, const struct console_filter *filter,
                                      struct console_place *place,
                                      bool (*each)(void *context, const struct transaction_now *transaction),
                                      void *context) {
    uint64_t merchant_id;
    place->ended = !find_merchant_of_list(reader, filter->merchant_id, &merchant_id);
    if (place->ended) {
        return STATUS_OK;
    }
    struct sql *sql = begin_transaction_list(reader, merchant_id, place);
    enum status status = sql_first(sql);
    size_t steps = 0;
    bool goes_on = true;
    while (status == STATUS_OK) {
        uint64_t step = sql_get_number(sql);
        if (step != place->id && !goes_on) {
            break;
        }
        steps += step != place->id;
        place->id = step;
        if (!sql_is_null(sql)) {
            struct transaction_now transaction;
            transaction_now_get(sql, reader->arena, &transaction);
            place->at = transaction.registered_at;
            goes_on = (!transaction_passes(&transaction, filter) || each(context, &transaction)) && goes_on;
        }
        status = sql_next(sql);
    }
    place->ended = status == STATUS_NONE && steps < (merchant_id == 0 ? TRANSACTIONS_AT_ONCE : ORDERS_AT_ONCE);
    return sql_end_list(sql, status);
}
