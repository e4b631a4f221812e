#include "store/console/parties.h"

#include "store/console/scoped.h"
#include "store/party/merchant_row.h"
#include "store/party/network_row.h"

#define MERCHANT_COLUMNS                                                                                               \
    MERCHANT_DESCRIPTION_COLUMNS                                                                                       \
    ", c.currency, c.time_zone, e.failures, e.failing_since, e.resting_until, r.oldest_at,"                            \
    " EXISTS (SELECT 1 FROM notifications n FORCE INDEX (merchant) WHERE n.state = 'pending' AND n.merchant_id = p.id" \
    "   AND n.due_at > UTC_TIMESTAMP(6) AND n.attempts > 0)"

#define MERCHANT_TABLES                                                                                                \
    " FROM merchants p JOIN countries c ON c.code = p.country LEFT JOIN endpoints e ON e.merchant_id = p.id"           \
    " LEFT JOIN merchants_refusing r ON r.merchant_id = p.id"

const char sql_text_of_console_merchant_find[] =
    "SELECT STRAIGHT_JOIN " MERCHANT_COLUMNS MERCHANT_TABLES " WHERE p.id = ? AND " IN_SCOPE("p.id");

const char sql_text_of_console_merchant_list[] = "SELECT STRAIGHT_JOIN " MERCHANT_COLUMNS MERCHANT_TABLES
                                                 " WHERE p.name > ? AND " FOR_ALL " ORDER BY p.name LIMIT 200";

/* A network belongs to no merchant, so FOR_ALL. */
const char sql_text_of_console_network_find[] =
    "SELECT " NETWORK_DESCRIPTION_COLUMNS " FROM networks p WHERE p.id = ? AND " FOR_ALL;

const char sql_text_of_console_network_list[] =
    "SELECT " NETWORK_DESCRIPTION_COLUMNS " FROM networks p WHERE p.name > ? AND " FOR_ALL " ORDER BY p.name LIMIT 200";

static void get_console_merchant(struct sql *sql, struct arena *arena, struct console_merchant *out) {
    merchant_description_get(sql, arena, &out->description);
    out->currency = sql_get_text(sql, arena);
    out->time_zone = sql_get_text(sql, arena);
    out->failures = sql_get_number(sql);
    out->failing_since = sql_get_instant(sql);
    out->resting_until = sql_get_instant(sql);
    out->refusing_since = sql_get_instant(sql);
    out->has_retries = sql_get_number(sql) != 0;
}

enum status console_merchants_find(const struct console_reader *reader, uint64_t id, struct console_merchant *out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_merchant_find);
    sql_number(sql, id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_console_merchant(sql, reader->arena, out);
    }
    sql_end(sql);
    return status;
}

/* Finds the only merchant of a scoped reader by its id. By name, all names before it would be read. */
static enum status list_own_merchant(const struct console_reader *reader,
                                     void (*each)(void *context, const struct console_merchant *merchant),
                                     void *context) {
    struct console_merchant merchant;
    enum status status = console_merchants_find(reader, reader->scope.merchant_id, &merchant);
    if (status == STATUS_OK) {
        each(context, &merchant);
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status console_merchants_list(const struct console_reader *reader, struct text after,
                                   void (*each)(void *context, const struct console_merchant *merchant),
                                   void *context) {
    if (!reader->scope.everything) {
        return list_own_merchant(reader, each, context);
    }
    struct sql *sql = sql_begin(reader->connection, SQL_console_merchant_list);
    sql_text(sql, after);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct console_merchant merchant;
        get_console_merchant(sql, reader->arena, &merchant);
        each(context, &merchant);
    }
    return sql_end_list(sql, status);
}

enum status console_networks_find(const struct console_reader *reader, uint64_t id, struct network_description *out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_network_find);
    sql_number(sql, id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        network_description_get(sql, reader->arena, out);
    }
    sql_end(sql);
    return status;
}

enum status console_networks_list(const struct console_reader *reader, struct text after,
                                  void (*each)(void *context, const struct network_description *network),
                                  void *context) {
    if (!reader->scope.everything) {
        return STATUS_OK;
    }
    struct sql *sql = sql_begin(reader->connection, SQL_console_network_list);
    sql_text(sql, after);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct network_description network;
        network_description_get(sql, reader->arena, &network);
        each(context, &network);
    }
    return sql_end_list(sql, status);
}
