#include "api/monitoring/writes_check.h"

#include "base/log.h"

enum database_writes writes_check(struct connection *connection) {
    enum database_writes writes = health_try_write(connection);
    if (writes == WRITES_UNTRIED) {
        log_line(LOG_ERROR, "database: whether it accepts writes cannot be tried: the account lacks the right to call "
                            "write_try: recaudoctl db migrate, as root, gives rights again");
    } else if (writes == WRITES_FAILED) {
        log_line(LOG_ERROR, "database: accepts no writes: the line before says why");
    } else if (writes == WRITES_REFUSED) {
        log_line(
            LOG_ERROR,
            "database: accepts no writes: its disk is full, or it is read only or under a read lock; look at "
            "MariaDB's log and df on its machine, and free space as operations.md says (The disk is full); if it has "
            "room, at SELECT @@read_only, at SHOW FULL PROCESSLIST, and with replicas at SHOW STATUS LIKE "
            "'Rpl_semi_sync_master%%' (cluster.md, Primary and replica)");
    }
    return writes;
}
