#include "store/payment/claims.h"

#include "store/db/routine.h"

const char sql_text_of_order_claim[] = "SELECT order_claim(?, ?, ?)";

const char sql_text_of_console_claim[] = "SELECT console_claim(?, ?, ?)";

const char sql_text_of_order_paid_list[] =
    "SELECT o.id, m.name, o.po_id, t.amount, t.currency, t.confirmed_at FROM orders o FORCE INDEX (reference)"
    " STRAIGHT_JOIN merchants m ON m.id = o.merchant_id"
    " STRAIGHT_JOIN transactions t ON t.id = COALESCE(o.paid_by, o.held_by)"
    " WHERE o.reference = ? AND (o.state = 'APROBADA' OR o.held_until <= UTC_TIMESTAMP(6)) ORDER BY o.id DESC LIMIT ?";

struct claiming {
    const struct claim *claim;
    enum claim_outcome outcome;
};

static enum status write_claim(struct connection *connection, void *context) {
    struct claiming *claiming = context;
    const struct claim *claim = claiming->claim;
    bool by_user = claim->user_id != 0;
    uint64_t written;
    struct sql *sql = sql_begin(connection, by_user ? SQL_console_claim : SQL_order_claim);
    if (by_user) {
        sql_number(sql, claim->user_id);
    }
    sql_number(sql, claim->order_id);
    sql_text(sql, claim->reason);
    if (!by_user) {
        sql_text(sql, claim->actor);
    }
    enum status status = routine_outcome(sql, CLAIM_WAITS_ALREADY, &written);
    claiming->outcome = (enum claim_outcome)written;
    return status == STATUS_OK && written == CLAIM_REFUSED ? STATUS_CHANGED : status;
}

enum status claims_write(struct connection *connection, const struct claim *claim, enum claim_outcome *out) {
    struct claiming claiming = {claim, CLAIM_REFUSED};
    enum status status = sql_transact(connection, write_claim, &claiming);
    *out = claiming.outcome;
    return status;
}

enum status claims_list_paid(struct connection *connection, struct text reference, struct arena *arena,
                             void (*each)(void *context, const struct paid_order *order), void *context) {
    struct sql *sql = sql_begin(connection, SQL_order_paid_list);
    sql_text(sql, reference);
    sql_number(sql, PAID_LISTED_MOST);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct paid_order order;
        order.id = sql_get_number(sql);
        order.merchant = sql_get_text(sql, arena);
        order.po_id = sql_get_text(sql, arena);
        order.amount = sql_get_money(sql);
        order.currency = sql_get_text(sql, arena);
        order.paid_at = sql_get_instant(sql);
        each(context, &order);
    }
    return sql_end_list(sql, status);
}
