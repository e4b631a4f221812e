#include "store/payment/claims.h"

#include "store/db/routine.h"

const char sql_text_of_order_claim[] = "SELECT order_claim(?, ?, ?)";

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
