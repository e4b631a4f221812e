#include "store/operation/dispatchers.h"

#include "store/db/sql.h"

const char sql_text_of_dispatcher_forget[] =
    "DELETE FROM dispatchers WHERE seen_at < UTC_TIMESTAMP(6) - INTERVAL 7 DAY LIMIT 1000";

const char sql_text_of_dispatcher_begin[] = "INSERT INTO dispatchers (host, pid, task) VALUES (?, ?, ?)";

const char sql_text_of_dispatcher_beat[] =
    "UPDATE dispatchers SET seen_at = UTC_TIMESTAMP(6), in_flight = ? WHERE id = ?";

const char sql_text_of_dispatcher_add[] =
    "INSERT INTO dispatcher_totals (host, finalised, expired, delivered, to_be_tried_again, exhausted)"
    " VALUES (?, ?, ?, ?, ?, ?) ON DUPLICATE KEY UPDATE finalised = finalised + VALUE(finalised),"
    " expired = expired + VALUE(expired), delivered = delivered + VALUE(delivered),"
    " to_be_tried_again = to_be_tried_again + VALUE(to_be_tried_again), exhausted = exhausted + VALUE(exhausted)";

const char sql_text_of_dispatcher_end[] =
    "UPDATE dispatchers SET seen_at = UTC_TIMESTAMP(6), ended_at = UTC_TIMESTAMP(6), in_flight = 0 WHERE id = ?";

struct text task_name(enum dispatch_task task) {
    static const struct text NAMES[] = {[TASK_SETTLE] = TEXT("settle"), [TASK_DELIVER] = TEXT("deliver")};
    return NAMES[task];
}

enum status dispatchers_begin(struct connection *connection, const struct dispatcher_start *start, uint64_t *id) {
    struct sql *sql = sql_begin(connection, SQL_dispatcher_forget);
    enum status status = sql_run(sql, NULL);
    sql_end(sql);
    if (status != STATUS_OK) {
        return status;
    }
    sql = sql_begin(connection, SQL_dispatcher_begin);
    sql_text(sql, start->host);
    sql_number(sql, start->pid);
    sql_text(sql, task_name(start->task));
    status = sql_run(sql, NULL);
    *id = sql_inserted_id(sql);
    sql_end(sql);
    return status;
}

enum status dispatchers_beat(struct connection *connection, uint64_t id, uint64_t in_flight) {
    struct sql *sql = sql_begin(connection, SQL_dispatcher_beat);
    sql_number(sql, in_flight);
    sql_number(sql, id);
    return sql_run_and_end(sql);
}

enum status dispatchers_add(struct connection *connection, struct text host, const struct dispatcher_counts *counts) {
    struct sql *sql = sql_begin(connection, SQL_dispatcher_add);
    sql_text(sql, host);
    sql_number(sql, counts->finalised);
    sql_number(sql, counts->expired);
    sql_number(sql, counts->delivered);
    sql_number(sql, counts->to_be_tried_again);
    sql_number(sql, counts->exhausted);
    return sql_run_and_end(sql);
}

enum status dispatchers_end(struct connection *connection, uint64_t id) {
    struct sql *sql = sql_begin(connection, SQL_dispatcher_end);
    sql_number(sql, id);
    return sql_run_and_end(sql);
}
