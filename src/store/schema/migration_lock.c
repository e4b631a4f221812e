#include "store/schema/migration_lock.h"

#include "base/log.h"
#include "store/db/rows.h"

/* The lock's name may have 64 characters; a database's alone may have as many. */
#define LOCK "SHA1(CONCAT('recaudoctl db migrate ', DATABASE()))"

const char sql_text_of_migration_lock[] =
    "SELECT " SQL_READ_ONLY ", COALESCE(GET_LOCK(" LOCK ", 4), 0), COALESCE(IS_USED_LOCK(" LOCK "), 0)";

const char sql_text_of_migration_cluster[] =
    "SELECT COALESCE(MAX(CAST(VARIABLE_VALUE AS UNSIGNED)), 0) FROM information_schema.GLOBAL_STATUS"
    " WHERE VARIABLE_NAME = 'WSREP_CLUSTER_SIZE'";

/* The session is not idle before it is done, unless the program's host was lost, which the server may not notice for
 * hours. */
static const char END_WHEN_IDLE[] = "SET wait_timeout = 60";

static enum status say_it_runs(uint64_t holder) {
    log_line(LOG_ERROR,
             "schema: another process is migrating it, or was killed and the server still works on what it was sent "
             "(SHOW PROCESSLIST: connection %llu); try again later",
             (unsigned long long)holder);
    return STATUS_AGAIN;
}

enum status migration_lock_take(struct connection *connection) {
    bool read_only = false, taken = false;
    uint64_t holder = 0;
    enum status status = sql_script(connection, "end when idle", text_of(END_WHEN_IDLE));
    if (status != STATUS_OK) {
        return status;
    }
    struct sql *sql = sql_begin(connection, SQL_migration_lock);
    status = sql_first(sql);
    if (status == STATUS_OK) {
        read_only = sql_get_number(sql) != 0;
        taken = sql_get_number(sql) != 0;
        holder = sql_get_number(sql);
    }
    sql_end(sql);
    if (status == STATUS_OK && read_only) {
        log_line(LOG_ERROR, "schema: nothing was changed: the server is read only. A replica gets the schema from its "
                            "primary: run recaudoctl db migrate with that one");
        return STATUS_FAULT;
    }
    return status == STATUS_OK && !taken ? say_it_runs(holder) : status;
}

/* Adds 1 to *asked unless the server cannot be asked. */
static enum status ask_server(const struct connection_options *options, size_t server, uint64_t *asked) {
    struct connection *connection = NULL;
    if (connection_open_at(options, server, &connection) != STATUS_OK) {
        return STATUS_OK;
    }
    enum status status = migration_lock_take(connection);
    connection_close(connection);
    *asked += status == STATUS_OK;
    return status == STATUS_AGAIN ? STATUS_AGAIN : STATUS_OK;
}

enum status migration_lock_ask_cluster(struct connection *connection, const struct config *config) {
    const struct connection_options options = {.config = config, .account = &config->database.owner};
    uint64_t size = 0, asked = 1;
    enum status status = rows_one_number(sql_begin(connection, SQL_migration_cluster), &size);
    size_t servers = size > 1 ? connection_servers(config) : 0;
    for (size_t server = 0; server < servers && status == STATUS_OK; server++) {
        if (server != connection_server(connection)) {
            status = ask_server(&options, server, &asked);
        }
    }
    if (status == STATUS_OK && asked < size) {
        log_line(LOG_ERROR,
                 "schema: a migration began and did not end, and may still run through another server: the cluster has "
                 "%llu, and %llu of [database] host answered. Name all of them there, each once, and run recaudoctl "
                 "db migrate again",
                 (unsigned long long)size, (unsigned long long)asked);
        return STATUS_FAULT;
    }
    return status;
}
