#include "store/notification/stuck.h"

#include "store/db/batch.h"
#include "store/db/rows.h"

const char sql_text_of_stuck_count[] = "SELECT COUNT(*), " SQL_AGE(MIN(due_at)) " FROM notifications_stuck";

const char sql_text_of_stuck_find[] = "SELECT id FROM notifications_stuck LIMIT ?";

const char sql_text_of_stuck_release[] =
    "UPDATE " BATCH " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = batch.id"
    " STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = n.merchant_id"
    "  LEFT JOIN notifications earlier FORCE INDEX (order_status) ON earlier.order_id = n.order_id"
    "   AND earlier.sequence < n.sequence AND earlier.state NOT IN ('delivered', 'exhausted')"
    "   SET n.state = 'pending', n.due_at = UTC_TIMESTAMP(6), n.changed_by = 'dispatcher'"
    " WHERE n.state IN ('waiting', 'unaddressed') AND m.notify_url IS NOT NULL AND earlier.id IS NULL";

enum status stuck_count(struct connection *connection, struct overdue *out) {
    return rows_one_overdue(sql_begin(connection, SQL_stuck_count), out);
}

enum status stuck_release(struct connection *connection, uint64_t most, struct arena *arena, uint64_t *released) {
    struct text ids;
    uint64_t count = 0;
    *released = 0;
    struct sql *sql = sql_begin(connection, SQL_stuck_find);
    sql_number(sql, most);
    enum status status = batch_read(sql, most, arena, &ids, &count);
    sql_end(sql);
    if (status != STATUS_OK) {
        return status == STATUS_NONE ? STATUS_OK : status;
    }
    return batch_run(connection, SQL_stuck_release, ids, released);
}
