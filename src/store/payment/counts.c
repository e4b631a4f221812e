#include "store/payment/counts.h"

#include "store/db/routine.h"

const char sql_text_of_payment_count_update[] = "SELECT payments_count()";

const char sql_text_of_console_payment_count_list[] =
    "SELECT began_at, currency, payments FROM payment_counts"
    " WHERE span = ? AND began_at >= ? AND currency <> '' ORDER BY began_at, currency LIMIT 1000";

enum status payment_counts_update(struct connection *connection) {
    return routine_call(sql_begin(connection, SQL_payment_count_update));
}

enum status payment_counts_list(struct connection *connection, const struct payment_period *period, struct arena *arena,
                                void (*each)(void *context, const struct payment_count *count), void *context) {
    static const struct text SPANS[] = {[PAYMENT_SPAN_MINUTE] = TEXT("minute"), [PAYMENT_SPAN_HOUR] = TEXT("hour")};
    struct sql *sql = sql_begin(connection, SQL_console_payment_count_list);
    sql_text(sql, SPANS[period->span]);
    sql_instant(sql, period->since);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct payment_count count;
        count.began_at = sql_get_instant(sql);
        count.currency = sql_get_text(sql, arena);
        count.payments = sql_get_number(sql);
        each(context, &count);
    }
    return sql_end_list(sql, status);
}
