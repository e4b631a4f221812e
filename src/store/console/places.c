#include "store/console/places.h"

#include "store/console/scoped.h"

/* Finds the row with this id or, failing that, the one before it. */
const char sql_text_of_console_order_at[] =
    "SELECT o.id, o.created_at FROM orders o FORCE INDEX (PRIMARY) WHERE o.id <= ? AND " FOR_ALL
    " ORDER BY o.id DESC LIMIT 1";

const char sql_text_of_console_order_of_merchant_at[] =
    "SELECT o.id, o.created_at FROM orders o FORCE INDEX (merchant)"
    " WHERE o.merchant_id = ? AND o.id <= ? AND " IN_SCOPE("o.merchant_id") " ORDER BY o.id DESC LIMIT 1";

const char sql_text_of_console_transaction_at[] =
    "SELECT t.id, t.registered_at FROM transactions t FORCE INDEX (PRIMARY) WHERE t.id <= ? AND " FOR_ALL
    " ORDER BY t.id DESC LIMIT 1";

const char sql_text_of_console_notification_at[] =
    "SELECT n.id, n.created_at FROM notifications n FORCE INDEX (PRIMARY) WHERE n.id <= ? AND " FOR_ALL
    " ORDER BY n.id DESC LIMIT 1";

const char sql_text_of_console_event_at[] =
    "SELECT e.id, e.at FROM event_log e FORCE INDEX (PRIMARY) WHERE e.id <= ? AND " FOR_ALL
    " ORDER BY e.id DESC LIMIT 1";

struct search {
    const struct console_reader *reader;
    enum statement statement;
    uint64_t merchant_id; /* 0: all */
};

static enum status find_row_at(const struct search *search, uint64_t id, uint64_t *found, instant *at) {
    struct sql *sql = sql_begin(search->reader->connection, search->statement);
    if (search->merchant_id != 0) {
        sql_number(sql, search->merchant_id);
    }
    sql_number(sql, id);
    bind_scope(sql, search->reader);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *found = sql_get_number(sql);
        *at = sql_get_instant(sql);
    }
    sql_end(sql);
    return status;
}

/* Finds the first id after all rows up to the instant. */
static enum status find_first_newer(const struct search *search, instant until, uint64_t *out) {
    uint64_t high, row;
    instant at;
    enum status status = find_row_at(search, INT64_MAX, &high, &at);
    uint64_t low = 0; /* rows up to here are not newer */
    while (status == STATUS_OK && low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        status = find_row_at(search, middle, &row, &at);
        if (status == STATUS_NONE || (status == STATUS_OK && at <= until)) {
            low = middle;
            status = STATUS_OK;
        } else if (status == STATUS_OK) {
            high = row - 1;
        }
    }
    *out = low + 1;
    return status == STATUS_NONE ? STATUS_OK : status;
}

enum status console_places_seek(const struct console_reader *reader, enum console_list list,
                                const struct console_filter *filter, struct console_place *out) {
    static const enum statement OF_ALL[] = {[CONSOLE_ORDERS] = SQL_console_order_at,
                                            [CONSOLE_TRANSACTIONS] = SQL_console_transaction_at,
                                            [CONSOLE_NOTIFICATIONS] = SQL_console_notification_at,
                                            [CONSOLE_EVENTS] = SQL_console_event_at};
    *out = (struct console_place){0};
    struct search search = {reader, OF_ALL[list], 0};
    if (filter->until == 0 || !find_merchant_of_list(reader, filter->merchant_id, &search.merchant_id)) {
        return STATUS_OK;
    }
    if (list == CONSOLE_NOTIFICATIONS && (filter->state.size > 0 || search.merchant_id != 0)) {
        bool by_time = filter->state.size == 0 || text_equal(filter->state, TEXT("delivered"));
        *out = (struct console_place){by_time ? UINT64_MAX : 0, by_time ? filter->until : 0, false};
        return STATUS_OK;
    }
    if (search.merchant_id != 0) {
        search.statement = SQL_console_order_of_merchant_at;
    }
    return find_first_newer(&search, filter->until + PLACES_DISORDER, &out->id);
}

enum status console_places_date(const struct console_reader *reader, const struct console_filter *filter,
                                struct console_place *place) {
    struct search search = {reader, SQL_console_order_of_merchant_at, 0};
    uint64_t id;
    if (place->id == 0 || !find_merchant_of_list(reader, filter->merchant_id, &search.merchant_id)) {
        return STATUS_OK;
    }
    enum status status = find_row_at(&search, place->id, &id, &place->at);
    return status == STATUS_NONE ? STATUS_OK : status;
}
