#include "store/schema/migration_lock.h"

#include "base/config/hosts.h"
#include "base/log.h"
#include "store/db/rows.h"
#include "store/schema/schema_lines.h"

#include <assert.h>

/* The lock's name may have 64 characters; a database's alone may have as many. */
#define LOCK "SHA1(CONCAT('recaudoctl db migrate ', DATABASE()))"

const char sql_text_of_migration_lock[] =
    "SELECT " SQL_READ_ONLY ", COALESCE(GET_LOCK(" LOCK ", 4), 0), COALESCE(IS_USED_LOCK(" LOCK "), 0)";

const char sql_text_of_migration_cluster[] =
    "SELECT COALESCE(MAX(" SQL_SERVERS_AT("VARIABLE_VALUE") "), 0) FROM information_schema.GLOBAL_STATUS"
                                                            " WHERE VARIABLE_NAME = 'WSREP_INCOMING_ADDRESSES'";

/* The session is not idle before it is done, unless the program's host was lost, which the server may not notice for
 * hours. What it writes before and after the migration waits a minute for a lock on a table, and not the server's day.
 */
static const char LIMITS[] = "SET wait_timeout = 60, lock_wait_timeout = 60, sql_if_exists = 0";

/* `server`: of a cluster, in [database] host; empty: that of the migration. */
static enum status say_it_runs(struct text server, uint64_t holder) {
    log_line(LOG_ERROR,
             "schema: another process is migrating it, or was killed and the server still works on what it was sent "
             "(SHOW PROCESSLIST%s%.*s: connection %llu); it is waited for",
             server.size > 0 ? " on " : "", TEXT_ARGS(server), (unsigned long long)holder);
    return STATUS_AGAIN;
}

static enum status take_lock(struct connection *connection, struct text server) {
    bool read_only = false, taken = false;
    uint64_t holder = 0;
    enum status status = sql_script(connection, "limits of the session", text_of(LIMITS));
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
    return status == STATUS_OK && !taken ? say_it_runs(server, holder) : status;
}

enum status migration_lock_take(struct connection *connection) {
    return take_lock(connection, TEXT(""));
}

/* Of the other servers of a cluster. */
struct answers {
    struct arena *arena;
    uint64_t asked;     /* with that of the migration */
    struct text silent; /* those that cannot be asked */
};

static struct text name_of_server(const struct config *config, size_t server, struct arena *arena) {
    struct hosts hosts;
    bool parsed = hosts_parse(text_of(config->database.host), &hosts);
    assert(parsed && server < hosts.count);
    const struct host *host = &hosts.items[server];
    return host->port == 0 ? arena_print(arena, "%s", host->name) : arena_print(arena, "%s:%u", host->name, host->port);
}

static enum status ask_server(const struct config *config, size_t server, struct answers *answers) {
    const struct connection_options options = {.config = config, .account = &config->database.owner};
    struct text name = name_of_server(config, server, answers->arena);
    struct connection *connection = NULL;
    enum status status = connection_open_at(&options, server, &connection);
    status = status == STATUS_OK ? take_lock(connection, name) : status;
    connection_close(connection);
    if (status == STATUS_OK) {
        answers->asked++;
    } else if (status != STATUS_AGAIN) {
        list_add(&answers->silent, name, answers->arena);
    }
    return status == STATUS_AGAIN ? STATUS_AGAIN : STATUS_OK;
}

static enum status say_who_is_silent(uint64_t servers, const struct answers *answers) {
    log_line(LOG_ERROR,
             "schema: a migration began and did not end, and may still run through another server: the cluster has "
             "%llu servers, and %llu of [database] host answered%s%.*s. Name all of them there, each once, and run "
             "recaudoctl db migrate again",
             (unsigned long long)servers, (unsigned long long)answers->asked,
             answers->silent.size > 0 ? ", but not " : "", TEXT_ARGS(answers->silent));
    return STATUS_FAULT;
}

/* Otherwise two that ask each other's servers would refuse each other. */
static enum status give_lock_back(struct connection *connection) {
    enum status status = sql_script(connection, "end of the lock", TEXT("DO RELEASE_ALL_LOCKS()"));
    return status == STATUS_OK ? STATUS_AGAIN : status;
}

/* Longer than a server waits for the lock. The migration's own patience is a day. */
#define LONGEST_ANSWER (10 * SECOND)

enum status migration_lock_ask_cluster(struct connection *connection, const struct config *config,
                                       struct arena *arena) {
    struct config asking = *config;
    struct answers answers = {.arena = arena, .asked = 1, .silent = {"", 0}};
    uint64_t servers = 0;
    asking.database.read_timeout = LONGEST_ANSWER;
    enum status status = rows_one_number(sql_begin(connection, SQL_migration_cluster), &servers);
    size_t named = servers > 1 ? connection_servers(config) : 0;
    for (size_t server = 0; server < named && status == STATUS_OK; server++) {
        if (server != connection_server(connection)) {
            status = ask_server(&asking, server, &answers);
        }
    }
    if (status == STATUS_AGAIN) {
        return give_lock_back(connection);
    }
    return status == STATUS_OK && answers.asked < servers ? say_who_is_silent(servers, &answers) : status;
}
