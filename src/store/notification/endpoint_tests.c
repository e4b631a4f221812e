#include "store/notification/endpoint_tests.h"

#include "store/db/guarded.h"
#include "store/db/rows.h"

const char sql_text_of_endpoint_test_find[] =
    "SELECT t.merchant_id, t.asked_at, UTC_TIMESTAMP(6), p.name, p.notify_url, t.currency,"
    " " SEALED_NOTIFICATION_HASH_COLUMNS ", p.notify_digest, p.acknowledgement"
    " FROM endpoint_tests t FORCE INDEX (waiting) STRAIGHT_JOIN merchants p ON p.id = t.merchant_id"
    " WHERE t.taken_at IS NULL AND t.asked_at > UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE AND p.notify_url IS NOT NULL"
    " ORDER BY t.asked_at LIMIT 1";

const char sql_text_of_endpoint_test_take[] = SQL_WITHOUT_WAITING
    "UPDATE endpoint_tests SET taken_at = UTC_TIMESTAMP(6) WHERE merchant_id = ? AND asked_at = ? AND taken_at IS NULL";

const char sql_text_of_endpoint_test_record[] = SQL_WITHOUT_WAITING
    "UPDATE endpoint_tests SET done_at = UTC_TIMESTAMP(6), duration_us = ?, url = ?, address = ?, http_status = ?,"
    " reason = ?, reply = ? WHERE merchant_id = ? AND asked_at = ? AND taken_at IS NOT NULL AND done_at IS NULL";

static enum status find_waiting(struct connection *connection, struct arena *arena, struct endpoint_test *out) {
    struct sql *sql = sql_begin(connection, SQL_endpoint_test_find);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->merchant_id = sql_get_number(sql);
        out->asked_at = sql_get_instant(sql);
        out->taken_at = sql_get_instant(sql);
        out->merchant_name = sql_get_text(sql, arena);
        out->url = sql_get_text(sql, arena);
        out->currency = sql_get_text(sql, arena);
        rows_get_agreement(sql, arena, &out->sealed_hash, &out->digest, &out->acknowledgement);
    }
    sql_end(sql);
    return status;
}

enum status endpoint_tests_take(struct connection *connection, struct arena *arena, struct endpoint_test *out) {
    enum status status = find_waiting(connection, arena, out);
    if (status != STATUS_OK) {
        return status;
    }
    struct sql *sql = sql_begin(connection, SQL_endpoint_test_take);
    sql_number(sql, out->merchant_id);
    sql_instant(sql, out->asked_at);
    status = guarded_run(sql);
    return status == STATUS_CHANGED ? STATUS_NONE : status;
}

enum status endpoint_tests_record(struct connection *connection, const struct endpoint_outcome *outcome) {
    struct sql *sql = sql_begin(connection, SQL_endpoint_test_record);
    sql_number(sql, (uint64_t)outcome->took);
    sql_text(sql, outcome->url);
    sql_text(sql, outcome->address);
    sql_number_or_null(sql, (uint64_t)outcome->http_status);
    sql_text(sql, text_of(outcome->reason));
    sql_bytes(sql, outcome->reply.at, outcome->reply.size);
    sql_number(sql, outcome->merchant_id);
    sql_instant(sql, outcome->asked_at);
    return guarded_run(sql);
}
