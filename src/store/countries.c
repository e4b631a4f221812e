#include "store/countries.h"

#include "store/sql.h"

const char sql_text_of_country_list[] = "SELECT code, name, currency FROM countries ORDER BY code";

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
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}
