#include "store/queries.h"

#include "store/sql.h"

const char sql_text_of_query_insert[] =
    "INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome,"
    " http_status, field, problem) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

enum status queries_insert(struct connection *connection, const struct query_record *record) {
    struct sql *sql = sql_begin(connection, SQL_query_insert);
    sql_instant(sql, record->asked_at);
    sql_number(sql, record->merchant_id);
    sql_number(sql, record->integration_id);
    sql_number(sql, record->network_id);
    sql_text(sql, record->reference);
    sql_number(sql, (uint64_t)record->took);
    sql_text(sql, record->outcome);
    sql_number_or_null(sql, record->http_status);
    sql_text_or_null(sql, record->field);
    sql_text_or_null(sql, record->problem);
    enum status status = sql_run(sql, NULL);
    sql_end(sql);
    return status;
}
