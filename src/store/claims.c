#include "store/claims.h"

#include "store/guarded.h"
#include "store/windows.h"

const char sql_text_of_claim_write[] =
    "UPDATE orders SET state = 'ANULADA', state_reason = ?, changed_by = ? WHERE id = ? AND state = 'APROBADA'";

/* Locked, so that a dispatcher that settles `approved` at this moment either is seen here or sees this one waiting; and so that a merchant
 * that gets its address finds every notification that waits for one. */
const char sql_text_of_claim_notify[] =
    "INSERT INTO notifications (order_id, merchant_id, sequence, status, state, amount, payment_means, changed_by)"
    " SELECT o.id, o.merchant_id, approved.sequence + 1, 'cancelled',"
    "        CASE WHEN m.notify_url IS NULL THEN 'unaddressed'"
    "             WHEN approved.state IN ('delivered', 'exhausted') THEN 'pending' ELSE 'waiting' END,"
    "        approved.amount, approved.payment_means, ?"
    "   FROM orders o STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id"
    "  STRAIGHT_JOIN notifications approved FORCE INDEX (order_status)"
    "     ON approved.order_id = o.id AND approved.status = 'approved'"
    "  WHERE o.id = ? LOCK IN SHARE MODE";

struct claim {
    uint64_t order_id;
    struct text reason, actor;
};

static enum status annul(struct connection *connection, const struct claim *claim) {
    struct sql *sql = sql_begin(connection, SQL_claim_write);
    sql_text(sql, claim->reason);
    sql_text(sql, claim->actor);
    sql_number(sql, claim->order_id);
    return guarded_run(sql);
}

static enum status notify(struct connection *connection, const struct claim *claim) {
    struct sql *sql = sql_begin(connection, SQL_claim_notify);
    sql_text(sql, claim->actor);
    sql_number(sql, claim->order_id);
    enum status status = guarded_run(sql);
    return status == STATUS_NONE ? STATUS_FAULT : status;
}

static enum status write(struct connection *connection, void *context) {
    const struct claim *claim = context;
    enum status status = windows_finalise_order(connection, claim->order_id, claim->actor);
    if (status == STATUS_OK || status == STATUS_NONE) {
        status = annul(connection, claim);
    }
    return status == STATUS_OK ? notify(connection, claim) : status;
}

enum status claims_write(struct connection *connection, uint64_t order_id, struct text reason, struct text actor) {
    struct claim claim = {order_id, reason, actor};
    return sql_transact(connection, write, &claim);
}
