#include "store/payment/closings.h"

#include "store/db/routine.h"
#include "store/db/rows.h"

const char sql_text_of_closing_collect[] = "SELECT settlement_collect(?)";

const char sql_text_of_closing_close[] = "SELECT settlement_close(?, ?, ?, ?, ?)";

const char sql_text_of_closing_unsummed[] =
    "SELECT number FROM settlements WHERE state = 'closed' AND digest IS NULL ORDER BY number LIMIT 1";

const char sql_text_of_closing_sum[] = "SELECT settlement_sum(?, ?, ?, ?, ?)";

enum status closings_collect(struct connection *connection, uint64_t batch, uint64_t *collected) {
    return routine_run_batch(connection, SQL_closing_collect, batch, collected);
}

static enum status close_once(struct connection *connection, void *context) {
    const struct closing *closing = context;
    struct sql *sql = sql_begin(connection, SQL_closing_close);
    sql_number(sql, closing->number);
    sql_text(sql, closing->actor);
    sql_text_or_null(sql, closing->day);
    sql_text_or_null(sql, closing->zone);
    if (closing->cut != 0) {
        sql_instant(sql, closing->cut);
    } else {
        sql_text_or_null(sql, TEXT(""));
    }
    return routine_run(sql);
}

enum status closings_close(struct connection *connection, const struct closing *closing) {
    struct closing copy = *closing;
    return sql_transact(connection, close_once, &copy);
}

enum status closings_unsummed(struct connection *connection, uint64_t *number) {
    struct sql *sql = sql_begin(connection, SQL_closing_unsummed);
    return rows_one_number(sql, number);
}

struct sum {
    uint64_t number;
    const uint64_t *counts;
    struct text digest;
};

static enum status sum_once(struct connection *connection, void *context) {
    const struct sum *sum = context;
    struct sql *sql = sql_begin(connection, SQL_closing_sum);
    sql_number(sql, sum->number);
    for (enum operation_kind kind = 0; kind < OPERATION_KINDS; kind++) {
        sql_number(sql, sum->counts[kind]);
    }
    sql_text(sql, sum->digest);
    return routine_call(sql);
}

enum status closings_sum(struct connection *connection, uint64_t number, const uint64_t counts[OPERATION_KINDS],
                         struct text digest) {
    struct sum sum = {number, counts, digest};
    return sql_transact(connection, sum_once, &sum);
}
