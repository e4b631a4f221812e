#include "ctl/status/writes_status.h"

#include "ctl/core/problem.h"
#include "store/operation/health.h"

static struct text problem_with(const struct connection_options *options, struct connection **connection) {
    if (connection_open(options, connection) != STATUS_OK) {
        return TEXT("whether the database accepts writes could not be tried: it gave no second connection (SHOW STATUS "
                    "LIKE 'Threads_connected', @@max_connections)");
    }
    bool is_read_only = false;
    if (health_read_only(*connection, &is_read_only) == STATUS_OK && is_read_only) {
        return TEXT("the database accepts no writes: it is read only (SELECT @@read_only): SET GLOBAL read_only = OFF, "
                    "if it is the server that is to be written to; or InnoDB was started so (@@innodb_read_only, "
                    "@@innodb_force_recovery): take that out of MariaDB's file and restart it");
    }
    enum database_writes writes = health_try_write(*connection);
    if (writes == WRITES_UNTRIED) {
        return TEXT("whether the database accepts writes cannot be tried: the operator's account lacks the right to "
                    "call write_try: as root, recaudoctl db migrate");
    }
    if (writes == WRITES_FAILED) {
        return TEXT("the database accepts no writes: standard error says why");
    }
    if (writes == WRITES_REFUSED) {
        return TEXT("the database accepts no writes: its disk is full, a session holds a read lock, or it waits "
                    "for a replica's acknowledgement: look at MariaDB's log and at df on its machine, and free space "
                    "as operations.md says (The disk is full); if it has room, SHOW FULL PROCESSLIST for the read "
                    "lock, and SHOW STATUS LIKE 'Rpl_semi_sync_master%' (cluster.md, Primary and replica); this line "
                    "may stay for a minute after the last write that was refused");
    }
    return TEXT("");
}

void writes_look(const struct connection_options *options, struct record_list *problems) {
    struct connection *connection = NULL;
    struct text problem = problem_with(options, &connection);
    if (problem.size > 0) {
        problem_add(problems, "%.*s", TEXT_ARGS(problem));
    }
    connection_close(connection);
}
