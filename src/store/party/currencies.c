#include "store/party/currencies.h"

#include "domain/currency.h"
#include "store/db/guarded.h"
#include "store/db/rows.h"

const char sql_text_of_currency_list[] = "SELECT code, name, query_code, changed_by FROM currencies ORDER BY code";

const char sql_text_of_currency_with_query_code[] = "SELECT code FROM currencies WHERE query_code = ?";

const char sql_text_of_currency_set_query_code[] =
    "UPDATE currencies SET query_code = ?, changed_by = ? WHERE code = ? AND NOT query_code <=> ?";

enum status currencies_list(struct connection *connection, struct arena *arena,
                            void (*each)(void *context, const struct currency_row *currency), void *context) {
    struct sql *sql = sql_begin(connection, SQL_currency_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct currency_row row;
        row.code = sql_get_text(sql, arena);
        row.name = sql_get_text(sql, arena);
        row.has_query_code = !sql_is_null(sql);
        row.query_code = sql_get_number(sql);
        row.changed_by = sql_get_text(sql, arena);
        if (currency_is_known(row.code)) {
            each(context, &row);
        }
    }
    return sql_end_list(sql, status);
}

enum status currencies_unknown(struct connection *connection, struct arena *arena, struct text *codes) {
    struct sql *sql = sql_begin(connection, SQL_currency_list);
    enum status status = sql_first(sql);
    *codes = TEXT("");
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text code = sql_get_text(sql, arena);
        if (!currency_is_known(code)) {
            *codes = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(*codes), codes->size > 0 ? ", " : "", TEXT_ARGS(code));
        }
    }
    return sql_end_list(sql, status);
}

enum status currencies_set_query_code(struct connection *connection, struct text code, uint64_t query_code,
                                      struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_currency_set_query_code);
    sql_number(sql, query_code);
    sql_text(sql, actor);
    sql_text(sql, code);
    sql_number(sql, query_code);
    return guarded_run(sql);
}

enum status currencies_with_query_code(struct connection *connection, uint64_t query_code, struct arena *arena,
                                       struct text *code) {
    struct sql *sql = sql_begin(connection, SQL_currency_with_query_code);
    sql_number(sql, query_code);
    return rows_one_text(sql, arena, code);
}
