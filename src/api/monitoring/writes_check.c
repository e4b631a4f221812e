#include "api/monitoring/writes_check.h"

#include "base/log.h"
#include "store/operation/health.h"

enum status writes_check(struct connection *connection) {
    enum status status = health_try_write(connection);
    if (status == STATUS_FAULT) {
        log_line(LOG_ERROR, "database: whether it accepts writes cannot be tried: the line before says why");
    } else if (status != STATUS_OK) {
        log_line(LOG_ERROR,
                 "database: accepts no writes: its disk is full, or it is read only or under a read lock; look at "
                 "MariaDB's log and df on its machine, and free space as operations.md says (The disk is full)");
    }
    return status;
}
