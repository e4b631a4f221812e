#include "store/console/changes.h"

#include "store/db/routine.h"
#include "store/party/history.h"
#include "store/party/money_limits.h"

const char sql_text_of_console_enable[] = "SELECT console_enable(?, ?, ?, ?, ?, ?)";

const char sql_text_of_console_limit_begin[] = "SELECT console_limit_begin(?, ?, ?)";

const char sql_text_of_console_limit_set[] = "SELECT console_limit_set(?, ?, ?, ?, ?, ?, ?)";

const char sql_text_of_console_test_ask[] = "SELECT console_test(?, ?, ?, ?)";

static const char *const PARTY_KINDS[] = {
    [CONSOLE_MERCHANT] = "merchant", [CONSOLE_NETWORK] = "network", [CONSOLE_INTEGRATION] = "integration"};

enum status console_seen(struct connection *connection, enum console_party kind, uint64_t id, uint64_t *seen) {
    if (id > UINT32_MAX) {
        return STATUS_NONE;
    }
    return history_end(connection, text_of(PARTY_KINDS[kind]), id, seen);
}

static enum status write_enabling(struct connection *connection, void *context) {
    const struct console_enabling *change = context;
    struct sql *sql = sql_begin(connection, SQL_console_enable);
    sql_number(sql, change->user_id);
    sql_text(sql, text_of(PARTY_KINDS[change->kind]));
    sql_number(sql, change->id);
    sql_number(sql, change->enabled);
    sql_number(sql, change->seen);
    sql_text(sql, change->reason);
    return routine_run(sql);
}

enum status console_enable(struct connection *connection, const struct console_enabling *change) {
    struct console_enabling copy = *change;
    return sql_transact(connection, write_enabling, &copy);
}

static enum status begin_limits(struct connection *connection, const struct console_limit_change *change) {
    struct sql *sql = sql_begin(connection, SQL_console_limit_begin);
    sql_number(sql, change->user_id);
    sql_number(sql, change->network_id);
    sql_text(sql, change->currency);
    return routine_run(sql);
}

/* Three steps, each in a transaction of its own (store/party/money_limits.c). */
enum status console_limits_set(struct connection *connection, const struct console_limit_change *change, bool *waits) {
    uint64_t written = 0;
    *waits = false;
    enum status status = begin_limits(connection, change);
    if (status == STATUS_OK) {
        status = routine_call(sql_begin(connection, SQL_money_limit_settle));
    }
    if (status != STATUS_OK) {
        return status;
    }
    struct sql *sql = sql_begin(connection, SQL_console_limit_set);
    sql_number(sql, change->user_id);
    sql_number(sql, change->network_id);
    sql_text(sql, change->currency);
    sql_text_or_null(sql, change->wanted.day);
    sql_text_or_null(sql, change->wanted.outstanding);
    sql_number(sql, change->seen);
    sql_text(sql, change->reason);
    status = routine_count(sql, &written);
    *waits = money_limit_approval(written) != 0;
    return status == STATUS_OK && written == 0 ? STATUS_CHANGED : status;
}

enum status console_test_ask(struct connection *connection, uint64_t user_id, uint64_t merchant_id, instant seen,
                             struct text reason) {
    struct sql *sql = sql_begin(connection, SQL_console_test_ask);
    sql_number(sql, user_id);
    sql_number(sql, merchant_id);
    if (seen == 0) {
        sql_text_or_null(sql, TEXT(""));
    } else {
        sql_instant(sql, seen);
    }
    sql_text(sql, reason);
    return routine_run(sql);
}
