#include "store/external/query_rows.h"

const char sql_text_of_query_insert[] =
    "INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome,"
    " address, http_status, field, problem, said, order_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/* Each list reads an index backwards that has its order. */
const char sql_text_of_query_list[] =
    "SELECT " QUERY_COLUMNS " FROM external_queries q FORCE INDEX (asked_at)" QUERY_TABLES
    " ORDER BY q.asked_at DESC, q.id DESC LIMIT ?";

const char sql_text_of_query_list_of_merchant[] =
    "SELECT " QUERY_COLUMNS " FROM external_queries q FORCE INDEX (merchant)" QUERY_TABLES
    " WHERE q.merchant_id = ? ORDER BY q.asked_at DESC, q.id DESC LIMIT ?";

const char sql_text_of_query_list_of_integration[] =
    "SELECT " QUERY_COLUMNS " FROM external_queries q FORCE INDEX (integration)" QUERY_TABLES
    " WHERE q.integration_id = ? ORDER BY q.asked_at DESC, q.id DESC LIMIT ?";

const char sql_text_of_query_list_of_reference[] =
    "SELECT " QUERY_COLUMNS " FROM external_queries q FORCE INDEX (reference)" QUERY_TABLES
    " WHERE q.reference = ? ORDER BY q.asked_at DESC, q.id DESC LIMIT ?";

const char sql_text_of_query_find[] = "SELECT " QUERY_COLUMNS " FROM external_queries q" QUERY_TABLES " WHERE q.id = ?";

enum status queries_insert(struct connection *connection, const struct query_record *record) {
    struct sql *sql = sql_begin(connection, SQL_query_insert);
    sql_instant(sql, record->asked_at);
    sql_number(sql, record->merchant_id);
    sql_number(sql, record->integration_id);
    sql_number(sql, record->network_id);
    sql_text(sql, record->reference);
    sql_number(sql, (uint64_t)record->took);
    sql_text(sql, record->outcome);
    sql_text_or_null(sql, record->address);
    sql_number_or_null(sql, record->http_status);
    sql_text_or_null(sql, record->field);
    sql_text_or_null(sql, record->problem);
    sql_text_or_null(sql, record->said);
    sql_number_or_null(sql, record->order_id);
    return sql_run_and_end(sql);
}

void query_row_get(struct sql *sql, struct arena *arena, struct query_row *out) {
    struct query_record *record = &out->record;
    out->id = sql_get_number(sql);
    out->merchant = sql_get_text(sql, arena);
    out->network = sql_get_text(sql, arena);
    record->merchant_id = sql_get_number(sql);
    record->integration_id = sql_get_number(sql);
    record->network_id = sql_get_number(sql);
    record->reference = sql_get_text(sql, arena);
    record->asked_at = sql_get_instant(sql);
    record->took = (duration)sql_get_number(sql);
    record->outcome = sql_get_text(sql, arena);
    record->address = sql_get_text(sql, arena);
    record->http_status = (unsigned)sql_get_number(sql);
    record->field = sql_get_text(sql, arena);
    record->problem = sql_get_text(sql, arena);
    record->said = sql_get_text(sql, arena);
    record->order_id = sql_get_number(sql);
    out->po_id = sql_get_text(sql, arena);
    out->is_anothers = sql_get_number(sql) != 0;
}

static struct sql *begin_query_list(struct connection *connection, const struct query_filter *filter) {
    struct sql *sql;
    if (filter->reference.size > 0) {
        sql = sql_begin(connection, SQL_query_list_of_reference);
        sql_text(sql, filter->reference);
    } else if (filter->integration_id != 0) {
        sql = sql_begin(connection, SQL_query_list_of_integration);
        sql_number(sql, filter->integration_id);
    } else if (filter->merchant_id != 0) {
        sql = sql_begin(connection, SQL_query_list_of_merchant);
        sql_number(sql, filter->merchant_id);
    } else {
        sql = sql_begin(connection, SQL_query_list);
    }
    sql_number(sql, filter->limit);
    return sql;
}

enum status queries_list(struct connection *connection, const struct query_filter *filter, struct arena *arena,
                         void (*each)(void *context, const struct query_row *query), void *context) {
    struct sql *sql = begin_query_list(connection, filter);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct query_row row;
        query_row_get(sql, arena, &row);
        each(context, &row);
    }
    return sql_end_list(sql, status);
}

enum status queries_find(struct connection *connection, uint64_t id, struct arena *arena, struct query_row *out) {
    struct sql *sql = sql_begin(connection, SQL_query_find);
    sql_number(sql, id);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        query_row_get(sql, arena, out);
    }
    sql_end(sql);
    return status;
}
