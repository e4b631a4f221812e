#include "store/party/countries.h"

#include "store/db/sql.h"

const char sql_text_of_country_list[] = "SELECT code, name, currency FROM countries ORDER BY code";

const char sql_text_of_country_find[] = "SELECT currency, time_zone FROM countries WHERE code = ?";

enum status countries_find(struct connection *connection, uint64_t code, struct arena *arena, struct text *currency,
                           struct text *time_zone) {
    struct sql *sql = sql_begin(connection, SQL_country_find);
    sql_number(sql, code);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *currency = sql_get_text(sql, arena);
        *time_zone = sql_get_text(sql, arena);
    }
    sql_end(sql);
    return status;
}

enum status countries_list(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct country_row *country), void *context) {
    struct sql *sql = sql_begin(connection, SQL_country_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct country_row country;
        country.code = sql_get_number(sql);
        country.name = sql_get_text(sql, arena);
        country.currency = sql_get_text(sql, arena);
        each(context, &country);
    }
    return sql_end_list(sql, status);
}
