#include "store/payment/claims.h"

#include "store/db/routine.h"

const char sql_text_of_order_claim[] = "SELECT order_claim(?, ?, ?)";

const char sql_text_of_order_paid_list[] =
    "SELECT o.id, m.name, o.po_id, t.amount, t.currency, t.confirmed_at FROM orders o FORCE INDEX (reference)"
    " STRAIGHT_JOIN merchants m ON m.id = o.merchant_id"
    " STRAIGHT_JOIN transactions t ON t.id = COALESCE(o.paid_by, o.held_by)"
    " WHERE o.reference = ? AND (o.state = 'APROBADA' OR o.held_until <= UTC_TIMESTAMP(6)) ORDER BY o.id DESC LIMIT ?";

struct claim {
    uint64_t order_id;
    struct text reason, actor;
    enum claim_outcome outcome;
};

static enum status write_claim(struct connection *connection, void *context) {
    struct claim *claim = context;
    uint64_t written;
    struct sql *sql = sql_begin(connection, SQL_order_claim);
    sql_number(sql, claim->order_id);
    sql_text(sql, claim->reason);
    sql_text(sql, claim->actor);
    enum status status = routine_outcome(sql, CLAIM_WAITS_ALREADY, &written);
    claim->outcome = (enum claim_outcome)written;
    return status == STATUS_OK && written == CLAIM_REFUSED ? STATUS_CHANGED : status;
}

enum status claims_write(struct connection *connection, uint64_t order_id, struct text reason, struct text actor,
                         enum claim_outcome *out) {
    struct claim claim = {order_id, reason, actor, CLAIM_REFUSED};
    enum status status = sql_transact(connection, write_claim, &claim);
    *out = claim.outcome;
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
