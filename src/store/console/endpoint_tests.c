#include "store/console/endpoint_tests.h"

#include "store/console/scoped.h"

#define ASKED_IS_PAST SQL_IS_PAST(t.asked_at)

/* The rules of console_test (sql/foundation.sql). */
const char sql_text_of_console_test_find[] =
    "SELECT t.asked_at, t.asked_by,"
    " t.done_at IS NULL AND t.asked_at > UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE AND " ASKED_IS_PAST ","
    " t.asked_at < UTC_TIMESTAMP(6) - INTERVAL IF(t.done_at IS NULL, 60, 10) SECOND OR NOT " ASKED_IS_PAST ","
    " t.done_at, t.duration_us, t.url, t.address, t.http_status, t.reason, t.reply FROM endpoint_tests t"
    " WHERE t.merchant_id = ? AND " IN_SCOPE("t.merchant_id");

enum status console_tests_find(const struct console_reader *reader, uint64_t merchant_id, struct console_test *out) {
    struct sql *sql = sql_begin(reader->connection, SQL_console_test_find);
    sql_number(sql, merchant_id);
    bind_scope(sql, reader);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->asked_at = sql_get_instant(sql);
        out->asked_by = sql_get_text(sql, reader->arena);
        out->is_under_way = sql_get_number(sql) != 0;
        out->may_be_asked = sql_get_number(sql) != 0;
        out->done_at = sql_get_instant(sql);
        out->took = (duration)sql_get_number(sql);
        out->url = sql_get_text(sql, reader->arena);
        out->address = sql_get_text(sql, reader->arena);
        out->http_status = sql_get_number(sql);
        out->reason = sql_get_text(sql, reader->arena);
        out->reply = sql_get_text(sql, reader->arena);
    }
    sql_end(sql);
    return status;
}
