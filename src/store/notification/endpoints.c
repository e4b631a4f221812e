#include "store/notification/endpoints.h"

#include "store/db/sql.h"

/*
 * Attempts that were in flight when the rest began do not prolong it. Assignments run from left to right, so
 * resting_until uses the new count.
 */
const char sql_text_of_endpoint_failed[] = SQL_WITHOUT_WAITING
    "INSERT INTO endpoints (merchant_id, failures) VALUES (?, 1)"
    " ON DUPLICATE KEY UPDATE failures = failures + IF(resting_until > UTC_TIMESTAMP(6), 0, 1),"
    "  resting_until = CASE WHEN resting_until > UTC_TIMESTAMP(6) THEN resting_until"
    "   WHEN failures >= ? THEN UTC_TIMESTAMP(6) + INTERVAL LEAST(?, ? * POW(2, LEAST(failures - ?, 20)))"
    "    MICROSECOND END";

const char sql_text_of_endpoint_well[] = SQL_WITHOUT_WAITING "DELETE FROM endpoints WHERE merchant_id = ?";

enum status endpoints_failed(struct connection *connection, uint64_t merchant_id, const struct rest_rule *rule) {
    struct sql *sql = sql_begin(connection, SQL_endpoint_failed);
    sql_number(sql, merchant_id);
    sql_number(sql, rule->after);
    sql_number(sql, (uint64_t)rule->longest);
    sql_number(sql, (uint64_t)rule->first);
    sql_number(sql, rule->after);
    return sql_run_and_end(sql);
}

enum status endpoints_well(struct connection *connection, uint64_t merchant_id) {
    struct sql *sql = sql_begin(connection, SQL_endpoint_well);
    sql_number(sql, merchant_id);
    return sql_run_and_end(sql);
}
