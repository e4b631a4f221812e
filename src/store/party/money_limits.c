#include "store/party/money_limits.h"

#include "store/db/routine.h"

const char sql_text_of_money_limit_list[] =
    "SELECT network, currency, day_limit, day_used, outstanding_limit, outstanding_used FROM network_limits_now"
    " WHERE ? IN (0, network_id) ORDER BY network, currency";

const char sql_text_of_money_limit_begin[] = "SELECT network_limit_begin(?, ?)";

const char sql_text_of_money_limit_settle[] = "SELECT network_limit_settle()";

const char sql_text_of_money_limit_set[] = "SELECT network_limit_set(?, ?, ?, ?, ?, ?)";

const char sql_text_of_money_limit_remit[] = "SELECT network_remit(?, ?, ?, ?, ?)";

const char sql_text_of_money_limit_warn[] = "SELECT network_limit_warn(?)";

bool money_bound_is_nearly_used(const struct money_bound *bound) {
    return bound->is_set && money_percent(bound->used, bound->most) >= MONEY_LIMIT_WARNS_AT;
}

static struct money_bound get_bound(struct sql *sql) {
    struct money_bound bound = {.is_set = !sql_is_null(sql)};
    bound.most = sql_get_money(sql);
    bound.used = sql_get_money(sql);
    return bound;
}

enum status money_limits_list(struct connection *connection, uint64_t network_id, struct arena *arena,
                              void (*each)(void *context, const struct money_limit *limit), void *context) {
    struct sql *sql = sql_begin(connection, SQL_money_limit_list);
    sql_number(sql, network_id);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct money_limit limit;
        limit.network = sql_get_text(sql, arena);
        limit.currency = sql_get_text(sql, arena);
        limit.day = get_bound(sql);
        limit.outstanding = get_bound(sql);
        each(context, &limit);
    }
    return sql_end_list(sql, status);
}

static enum status begin_limit_statement(struct connection *connection, const struct money_limit_change *change) {
    struct sql *sql = sql_begin(connection, SQL_money_limit_begin);
    sql_number(sql, change->network_id);
    sql_text(sql, change->currency);
    return routine_run(sql);
}

enum status money_limits_set(struct connection *connection, const struct money_limit_change *change,
                             uint64_t *approval) {
    uint64_t written = 0;
    *approval = 0;
    enum status status = begin_limit_statement(connection, change);
    if (status == STATUS_OK) {
        status = routine_call(sql_begin(connection, SQL_money_limit_settle));
    }
    if (status != STATUS_OK) {
        return status;
    }
    struct sql *sql = sql_begin(connection, SQL_money_limit_set);
    sql_number(sql, change->network_id);
    sql_text(sql, change->currency);
    sql_text_or_null(sql, change->day);
    sql_text_or_null(sql, change->outstanding);
    sql_number(sql, change->seen);
    sql_text(sql, change->actor);
    status = routine_count(sql, &written);
    *approval = money_limit_approval(written);
    return status == STATUS_OK && written == 0 ? STATUS_CHANGED : status;
}

struct remitting {
    const struct remittance *remittance;
    uint64_t outcome;
};

static enum status write_remittance(struct connection *connection, void *context) {
    struct remitting *remitting = context;
    const struct remittance *remittance = remitting->remittance;
    struct sql *sql = sql_begin(connection, SQL_money_limit_remit);
    sql_number(sql, remittance->network_id);
    sql_text(sql, remittance->currency);
    sql_text(sql, remittance->amount);
    sql_text(sql, remittance->reason);
    sql_text(sql, remittance->actor);
    return routine_outcome(sql, REMIT_OWES_TOO_MUCH, &remitting->outcome);
}

/* Runs in a transaction, so that an outcome that this release does not know is rolled back, and a retry records the
 * remittance only once. */
enum status money_limits_remit(struct connection *connection, const struct remittance *remittance,
                               enum remit_outcome *out) {
    struct remitting remitting = {remittance, REMIT_HAS_NO_LIMIT};
    enum status status = sql_transact(connection, write_remittance, &remitting);
    *out = (enum remit_outcome)remitting.outcome;
    return status;
}

enum status money_limits_warn(struct connection *connection, struct arena *arena, struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_money_limit_warn);
    sql_number(sql, MONEY_LIMIT_WARNS_AT);
    enum status status = sql_first(sql);
    *out = status == STATUS_OK ? sql_get_text(sql, arena) : TEXT("");
    return sql_end_single(sql, status);
}
