#include "store/notification/stuck.h"

#include "store/db/batch.h"
#include "store/db/rows.h"

const char sql_text_of_stuck_count[] = "SELECT COUNT(*), " SQL_AGE(MIN(due_at)) " FROM notifications_stuck";

/* Passes over those that others have locked, so that these keep back no other. */
const char sql_text_of_stuck_find[] =
    "SELECT n.id FROM notifications_stuck stuck STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = stuck.id"
    " LIMIT ? FOR UPDATE SKIP LOCKED";

const char sql_text_of_stuck_release[] = SQL_WITHOUT_WAITING
    "UPDATE " BATCH " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = batch.id"
    " STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = n.merchant_id"
    "  LEFT JOIN notifications earlier FORCE INDEX (order_status) ON earlier.order_id = n.order_id"
    "   AND earlier.sequence < n.sequence AND earlier.state NOT IN ('delivered', 'exhausted')"
    "   SET n.state = 'pending', n.due_at = UTC_TIMESTAMP(6), n.changed_by = 'dispatcher'"
    " WHERE n.state IN ('waiting', 'unaddressed') AND m.notify_url IS NOT NULL AND earlier.id IS NULL";

enum status stuck_count(struct connection *connection, struct overdue *out) {
    return rows_one_overdue(sql_begin(connection, SQL_stuck_count), out);
}

struct releasing {
    struct arena *arena;
    uint64_t most, released;
};

static enum status release_unit(struct connection *connection, void *context) {
    struct releasing *work = context;
    struct text ids;
    uint64_t count = 0;
    work->released = 0;
    enum status status = batch_lock(connection, SQL_stuck_find, work->most, work->arena, &ids, &count);
    if (status != STATUS_OK) {
        return status == STATUS_NONE ? STATUS_OK : status;
    }
    return batch_run(connection, SQL_stuck_release, ids, &work->released);
}

enum status stuck_release(struct connection *connection, uint64_t most, struct arena *arena, uint64_t *released) {
    struct releasing work = {arena, most, 0};
    enum status status = sql_transact(connection, release_unit, &work);
    *released = status == STATUS_OK ? work.released : 0;
    return status;
}
