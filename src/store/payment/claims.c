#include "store/payment/claims.h"

#include "store/db/routine.h"

const char sql_text_of_order_claim[] = "SELECT order_claim(?, ?, ?)";

struct claim {
    uint64_t order_id;
    struct text reason, actor;
};

static enum status write_claim(struct connection *connection, void *context) {
    const struct claim *claim = context;
    struct sql *sql = sql_begin(connection, SQL_order_claim);
    sql_number(sql, claim->order_id);
    sql_text(sql, claim->reason);
    sql_text(sql, claim->actor);
    return routine_run(sql);
}

enum status claims_write(struct connection *connection, uint64_t order_id, struct text reason, struct text actor) {
    struct claim claim = {order_id, reason, actor};
    return sql_transact(connection, write_claim, &claim);
}
