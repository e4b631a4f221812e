#include "store/currencies.h"

#include "store/sql.h"

const char sql_text_of_currency_list[] = "SELECT code FROM currencies ORDER BY code";

enum status currencies_list(struct connection *connection, struct arena *arena,
                            void (*each)(void *context, struct text code), void *context) {
    struct sql *sql = sql_begin(connection, SQL_currency_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        each(context, sql_get_text(sql, arena));
    }
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}
