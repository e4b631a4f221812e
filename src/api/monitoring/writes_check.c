#include "api/monitoring/writes_check.h"

#include "base/log.h"
#include "store/operation/health.h"

bool writes_check(struct connection *connection) {
    if (health_try_write(connection) == STATUS_OK) {
        return true;
    }
    log_line(LOG_ERROR,
             "database: accepts no writes: its disk is full, or it is read only or under a read lock; look at "
             "MariaDB's log and df on its machine, and free space as operations.md says (The disk is full)");
    return false;
}
