#include "store/console/parties.h"

#include "store/console/scoped.h"
#include "store/db/batch.h"
#include "store/db/json.h"
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

const char sql_text_of_console_merchant_names[] =
    "SELECT p.id, p.name FROM merchants p WHERE p.name > ? AND " FOR_ALL " ORDER BY p.name LIMIT 200";

/* Of each merchant a few rows, by index: whether notifications were given up, when the newest that was delivered was
 * acknowledged by the current URL, and the last test of that URL. */
const char sql_text_of_console_merchant_endpoints[] =
    "SELECT STRAIGHT_JOIN p.id, EXISTS (SELECT 1 FROM notifications n FORCE INDEX (merchant)"
    "   WHERE n.state = 'exhausted' AND n.merchant_id = p.id),"
    " (SELECT MAX(a.started_at) FROM attempts a FORCE INDEX (one_per_lease) WHERE a.notification_id ="
    "   (SELECT n.id FROM notifications n FORCE INDEX (merchant) WHERE n.state = 'delivered' AND n.merchant_id = p.id"
    "     ORDER BY n.due_at DESC LIMIT 1) AND a.url = p.notify_url AND a.reason = 'acknowledged'),"
    " t.done_at, t.reason FROM " BATCH " JOIN merchants p ON p.id = batch.id"
    " LEFT JOIN endpoint_tests t ON t.merchant_id = p.id AND t.url = p.notify_url WHERE " IN_SCOPE("p.id");

/* A network belongs to no merchant, so FOR_ALL. */
const char sql_text_of_console_network_find[] =
    "SELECT " NETWORK_DESCRIPTION_COLUMNS " FROM networks p WHERE p.id = ? AND " FOR_ALL;

const char sql_text_of_console_network_list[] =
    "SELECT " NETWORK_DESCRIPTION_COLUMNS " FROM networks p WHERE p.name > ? AND " FOR_ALL " ORDER BY p.name LIMIT 200";

const char sql_text_of_console_network_names[] =
    "SELECT p.id, p.name FROM networks p WHERE " FOR_ALL " ORDER BY p.name";

enum { MERCHANTS_AT_ONCE = 200 };

static void get_console_merchant(struct sql *sql, struct arena *arena, struct console_merchant *out) {
    merchant_description_get(sql, arena, &out->description);
    out->currency = sql_get_text(sql, arena);
    out->time_zone = sql_get_text(sql, arena);
    out->failures = sql_get_number(sql);
    out->failing_since = sql_get_instant(sql);
    out->resting_until = sql_get_instant(sql);
    out->refusing_since = sql_get_instant(sql);
    out->has_retries = sql_get_number(sql) != 0;
    out->has_given_up = out->last_test_failed = out->is_acknowledged = false;
}

static void get_endpoint(struct sql *sql, struct arena *arena, struct console_merchant *out) {
    out->has_given_up = sql_get_number(sql) != 0;
    instant acknowledged_at = sql_get_instant(sql), tested_at = sql_get_instant(sql);
    bool test_passed = text_equal(sql_get_text(sql, arena), TEXT("acknowledged"));
    out->last_test_failed = tested_at > acknowledged_at && !test_passed;
    out->is_acknowledged = !out->last_test_failed && (acknowledged_at != 0 || test_passed);
}

/* Adds what is known of the endpoints of merchants that were read. */
static enum status add_endpoint_facts(const struct console_reader *reader, struct console_merchant *merchants,
                                      size_t count) {
    struct json ids = json_begin(reader->arena, '[');
    for (size_t i = 0; i < count; i++) {
        json_number(&ids, merchants[i].description.id);
    }
    struct sql *sql = sql_begin(reader->connection, SQL_console_merchant_endpoints);
    sql_text(sql, json_end(&ids, ']'));
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        uint64_t id = sql_get_number(sql);
        size_t i = 0;
        while (merchants[i].description.id != id) {
            i++;
        }
        get_endpoint(sql, reader->arena, &merchants[i]);
    }
    return sql_end_list(sql, status);
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
    return status == STATUS_OK ? add_endpoint_facts(reader, out, 1) : status;
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
    struct console_merchant *merchants = arena_alloc(reader->arena, MERCHANTS_AT_ONCE * sizeof *merchants);
    size_t count = 0;
    struct sql *sql = sql_begin(reader->connection, SQL_console_merchant_list);
    sql_text(sql, after);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK && count < MERCHANTS_AT_ONCE; status = sql_next(sql)) {
        get_console_merchant(sql, reader->arena, &merchants[count++]);
    }
    status = sql_end_list(sql, status);
    status = status == STATUS_OK ? add_endpoint_facts(reader, merchants, count) : status;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        each(context, &merchants[i]);
    }
    return status;
}

static enum status each_name(const struct console_reader *reader, struct sql *sql,
                             void (*each)(void *context, uint64_t id, struct text name), void *context) {
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        uint64_t id = sql_get_number(sql);
        each(context, id, sql_get_text(sql, reader->arena));
    }
    return sql_end_list(sql, status);
}

enum status console_merchants_names(const struct console_reader *reader, struct text after,
                                    void (*each)(void *context, uint64_t id, struct text name), void *context) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_merchant_names);
    sql_text(sql, after);
    return each_name(reader, sql, each, context);
}

enum status console_networks_names(const struct console_reader *reader,
                                   void (*each)(void *context, uint64_t id, struct text name), void *context) {
    return each_name(reader, sql_begin(reader->connection, SQL_console_network_names), each, context);
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
