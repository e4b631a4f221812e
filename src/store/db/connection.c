#include "store/db/asking.h"

#include "base/config/hosts.h"
#include "base/memory.h"
#include "base/process/private_file.h"
#include "store/db/error_text.h"
#include "store/db/server_link.h"
#include "store/db/sql.h"

#include <errmsg.h>
#include <errno.h>
#include <mysqld_error.h>
#include <stdatomic.h>
#include <sys/socket.h>

enum { PASSWORD_BYTES = 512 };

/*
 * Set for each session, so that the server's global values do not matter, nor whether it takes the character set of the
 * handshake. join_cache_level = 0 disables join buffers. With one, the optimizer may join a table of a few rows (the
 * networks) so that a list read in index order loses that order. It then reads and sorts all rows instead of one page.
 */
static const char SESSION[] =
    "SET NAMES utf8mb4, time_zone = '+00:00', tx_isolation = 'READ-COMMITTED', tx_read_only = 0, "
    "innodb_lock_wait_timeout = %u, autocommit = 1, join_cache_level = 0, foreign_key_checks = 1, "
    "unique_checks = 1, check_constraint_checks = 1, "
    "sql_select_limit = 18446744073709551615, group_concat_max_len = 1048576, "
    "sql_safe_updates = 0, sql_big_selects = 1, max_statement_time = 0, completion_type = 0, "
    "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE'";

/* 7: SELECT, UPDATE, DELETE and INSERT, because all of them decide on rows that they read. */
static const char WAIT_FOR_OTHERS[] = "SET SESSION wsrep_sync_wait = 7", IS_READ_ONLY[] = "SELECT " SQL_READ_ONLY,
                  PROBE[] = "DO 0", NOTE_FULL[] = "SELECT full_note()";

enum verdict {
    LOSES_CONNECTION = 1, /* STATUS_UNSURE if the statement was sent, else STATUS_AWAY */
    ROLLED_BACK = 2,      /* STATUS_AGAIN */
    KEY_TAKEN = 4,        /* STATUS_CLASH */
    NEVER_RAN = 8,        /* with LOSES_CONNECTION: STATUS_AWAY, although it was sent */
    READ_ONLY = 16,       /* connection_met_read_only; if there are other servers, the connection counts as lost */
    LIMIT = 32,           /* STATUS_LIMIT */
    NO_ROOM = 64,         /* STATUS_FULL */
    OUTDATED = 128        /* STATUS_FAULT, and the connection counts as lost: a new one may do better */
};

/* Raised by a trigger when a payment exceeds a limit of its network (sql/foundation.sql). */
enum { ER_NETWORK_LIMIT = 60113 };

static const struct {
    unsigned error;
    unsigned verdict;
} ERRORS[] = {
    {CR_SERVER_GONE_ERROR, LOSES_CONNECTION | NEVER_RAN},
    {CR_CONNECTION_ERROR, LOSES_CONNECTION | NEVER_RAN},
    {CR_CONN_HOST_ERROR, LOSES_CONNECTION | NEVER_RAN},
    {CR_SERVER_LOST, LOSES_CONNECTION},
    {CR_SERVER_LOST_EXTENDED, LOSES_CONNECTION},
    {CR_COMMANDS_OUT_OF_SYNC, LOSES_CONNECTION},
    {CR_SSL_CONNECTION_ERROR, LOSES_CONNECTION}, /* how a broken link ends over TLS */
    {CR_MALFORMED_PACKET, LOSES_CONNECTION},
    {CR_ERR_NET_READ, LOSES_CONNECTION},
    {CR_ERR_NET_WRITE, LOSES_CONNECTION},
    {CR_ERR_NET_UNCOMPRESS, LOSES_CONNECTION},
    {ER_CONNECTION_KILLED, LOSES_CONNECTION},
    {ER_SERVER_SHUTDOWN, LOSES_CONNECTION},
    {ER_NORMAL_SHUTDOWN, LOSES_CONNECTION},
    {ER_UNKNOWN_COM_ERROR, LOSES_CONNECTION | NEVER_RAN}, /* 1047: a Galera node that is not Primary */
    {ER_LOCK_DEADLOCK, ROLLED_BACK},
    {ER_ROLLBACK_ONLY, ROLLED_BACK}, /* a deadlock inside a function, as MariaDB 11.8 reports it */
    {ER_LOCK_WAIT_TIMEOUT, ROLLED_BACK},
    {ER_CHECKREAD, ROLLED_BACK},
    {ER_QUERY_INTERRUPTED, ROLLED_BACK},                     /* the statement was killed */
    {ER_OPTION_PREVENTS_STATEMENT, ROLLED_BACK | READ_ONLY}, /* for example during a switchover */
    {ER_READ_ONLY_MODE, ROLLED_BACK | READ_ONLY},            /* innodb_read_only or innodb_force_recovery */
    {ER_OPEN_AS_READONLY, ROLLED_BACK | READ_ONLY},          /* the same, of some statements */
    {EE_WRITE, NO_ROOM}, /* a temporary table, or the binary log's cache of a transaction */
    {EE_DISK_FULL, NO_ROOM},
    {ER_DISK_FULL, NO_ROOM},
    {ER_RECORD_FILE_FULL, NO_ROOM}, /* InnoDB cannot extend a table's file */
    {ER_ERROR_ON_WRITE, NO_ROOM},
    {ER_BINLOG_STMT_MODE_AND_ROW_ENGINE, OUTDATED}, /* a session keeps the binlog_format that it began with */
    {ER_DUP_ENTRY, KEY_TAKEN},
    {ER_NETWORK_LIMIT, LIMIT},
};

enum status connection_judge_error(struct connection *connection, unsigned error, bool sent) {
    unsigned verdict = 0;
    for (size_t i = 0; i < COUNT_OF(ERRORS); i++) {
        verdict |= ERRORS[i].error == error ? ERRORS[i].verdict : 0;
    }
    connection->met_read_only = (verdict & READ_ONLY) != 0;
    if (connection->met_read_only && connection->one_of_several) {
        verdict = LOSES_CONNECTION | NEVER_RAN;
    }
    if ((verdict & LOSES_CONNECTION) != 0) {
        connection->lost = true;
        return sent && (verdict & NEVER_RAN) == 0 ? STATUS_UNSURE : STATUS_AWAY;
    }
    if ((verdict & OUTDATED) != 0) {
        connection->lost = true;
        return STATUS_FAULT;
    }
    if ((verdict & ROLLED_BACK) != 0) {
        return STATUS_AGAIN;
    }
    if ((verdict & LIMIT) != 0) {
        return STATUS_LIMIT;
    }
    if ((verdict & NO_ROOM) != 0) {
        return STATUS_FULL;
    }
    return (verdict & KEY_TAKEN) != 0 ? STATUS_CLASH : STATUS_FAULT;
}

/* Well within the minute for which a note counts (write_try in sql/foundation.sql, which knows these 10 seconds), and
 * much rarer than the failing statements. */
#define FULL_NOTED_EVERY (10 * SECOND)

void connection_note_full(struct connection *connection) {
    static _Atomic duration noted_at = INT64_MIN;
    duration now = clock_monotonic(), last = atomic_load(&noted_at);
    bool is_due = last == INT64_MIN || now - last >= FULL_NOTED_EVERY;
    if (is_due && atomic_compare_exchange_strong(&noted_at, &last, now) &&
        ask_query(connection, NOTE_FULL, strlen(NOTE_FULL)) == 0) {
        mysql_free_result(ask_store_result(connection));
    }
}

static bool read_password(const struct account_config *account, char password[PASSWORD_BYTES]) {
    const char *path = account->password_file;
    password[0] = '\0';
    if (path == NULL) {
        return true;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        log_line(LOG_ERROR, "database: cannot read the password file of %s, %s: %s", account->user, path,
                 strerror(errno));
        return false;
    }
    if (!private_file_is_closed(fileno(file))) {
        log_line(LOG_ERROR,
                 "database: cannot use the password file of %s: others may read or change %s: chmod g-wx,o= it, and "
                 "change the password if they did",
                 account->user, path);
        fclose(file);
        return false;
    }
    size_t size = fread(password, 1, PASSWORD_BYTES - 1, file);
    bool may_be_cut = size == PASSWORD_BYTES - 1 && memchr(password, '\n', size) == NULL;
    const char *problem = ferror(file) ? strerror(errno) : may_be_cut ? "its line is too long" : NULL;
    fclose(file);
    password[size] = '\0';
    password[strcspn(password, "\r\n")] = '\0';
    if (problem != NULL) {
        log_line(LOG_ERROR, "database: cannot read the password file of %s, %s: %s", account->user, path, problem);
    }
    return problem == NULL;
}

static void set_options(MYSQL *mysql, const struct connection_options *options) {
    const struct config *config = options->config;
    char session[sizeof SESSION + 16];
    unsigned connect_seconds = (unsigned)(config->database.connect_timeout / SECOND);
    unsigned read_seconds = (unsigned)(config->database.read_timeout / SECOND);
    unsigned no_files = 0; /* a null pointer would enable it */
    my_bool no = 0;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_seconds);
    mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &read_seconds);
    mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &read_seconds);
    mysql_options(mysql, MYSQL_OPT_RECONNECT, &no);
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &no_files);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    snprintf(session, sizeof session, SESSION, options->lock_wait > 0 ? options->lock_wait : CONNECTION_LOCK_WAIT);
    mysql_options(mysql, MYSQL_INIT_COMMAND, session);
    mysql_options(mysql, MYSQL_INIT_COMMAND, PROBE); /* a SET succeeds even where the password has expired */
}

static struct host configured_host(const struct config *config, size_t server) {
    struct hosts hosts;
    if (config->database.socket != NULL || !hosts_parse(text_of(config->database.host), &hosts)) {
        return (struct host){.port = 0};
    }
    return hosts.items[server];
}

size_t connection_servers(const struct config *config) {
    struct hosts hosts;
    return config->database.socket == NULL && hosts_parse(text_of(config->database.host), &hosts) ? hosts.count : 1;
}

static bool is_access_denied(unsigned error) {
    return error == ER_ACCESS_DENIED_ERROR || error == ER_ACCESS_DENIED_NO_PASSWORD_ERROR;
}

/* MariaDB's message does not help a root user who has no password file, nor where TLS or the login failed, so this adds
 * a remedy. */
static void log_refusal(struct connection *connection, const struct account_config *account, const char *server) {
    unsigned error = mysql_errno(connection->mysql);
    /* Connector/C builds this message from memory that it has reused. */
    const char *message = error == CR_PLUGIN_NOT_ALLOWED ? "unsafe login" : mysql_error(connection->mysql);
    log_line(LOG_ERROR, "database: cannot connect%s%s as %s: %s (%u)%s", connection->one_of_several ? " to " : "",
             connection->one_of_several ? server : "", account->user, message, error,
             is_access_denied(error) && account->password_file == NULL
                 ? ": without a password file only the system user of that name can, try it with sudo -u"
                 : server_link_remedy(error, message));
}

static enum status connect_to_server(struct connection *connection, const struct connection_options *options) {
    const struct config *config = options->config;
    MYSQL *mysql = connection->mysql;
    char password[PASSWORD_BYTES];
    if (!server_link_protect(mysql, config) || !read_password(options->account, password)) {
        return STATUS_FAULT;
    }
    set_options(mysql, options);
    struct host host = configured_host(config, connection->server);
    unsigned port = host.port != 0 ? host.port : (unsigned)config->database.port;
    const struct server_address to = {.host = host.name[0] == '\0' ? NULL : host.name,
                                      .user = options->account->user,
                                      .password = password,
                                      .database = config->database.name,
                                      .socket = config->database.socket,
                                      .port = port,
                                      .flags = CLIENT_FOUND_ROWS | CLIENT_MULTI_STATEMENTS};
    bool connected = ask_connect(connection, &to);
    explicit_bzero(password, sizeof password);
    if (connected) {
        return STATUS_OK;
    }
    log_refusal(connection, options->account, host.name);
    unsigned error = mysql_errno(mysql);
    bool refused = is_access_denied(error) || error == ER_BAD_DB_ERROR || error == ER_DBACCESS_DENIED_ERROR ||
                   error == ER_HOST_NOT_PRIVILEGED || error == ER_ACCOUNT_HAS_BEEN_LOCKED ||
                   error == ER_MUST_CHANGE_PASSWORD || error == ER_MUST_CHANGE_PASSWORD_LOGIN;
    return refused ? STATUS_FAULT : STATUS_AWAY;
}

/*
 * Tells whether the server accepts writes. A Galera node without its cluster fails the probe. wsrep_sync_wait makes
 * each statement wait until the node has applied what the others have committed. Otherwise a node that takes over could
 * lag behind and not know of an order that was paid a moment ago.
 */
static enum status check_writable(struct connection *connection) {
    if (connection_probe(connection) != STATUS_OK ||
        ask_query(connection, WAIT_FOR_OTHERS, strlen(WAIT_FOR_OTHERS)) != 0 ||
        ask_query(connection, IS_READ_ONLY, strlen(IS_READ_ONLY)) != 0) {
        log_line(LOG_ERROR, "database: server %zu is not ready: %s", connection->server + 1,
                 mysql_error(connection->mysql));
        return STATUS_AWAY;
    }
    MYSQL_RES *rows = ask_store_result(connection);
    MYSQL_ROW row = rows == NULL ? NULL : mysql_fetch_row(rows);
    bool writable = row != NULL && row[0] != NULL && strcmp(row[0], "0") == 0;
    mysql_free_result(rows);
    if (!writable) {
        log_line(LOG_ERROR, "database: server %zu is read only", connection->server + 1);
    }
    return writable ? STATUS_OK : STATUS_AWAY;
}

enum status connection_open_at(const struct connection_options *options, size_t server, struct connection **out) {
    struct connection *connection = memory_zeroed(1, sizeof *connection);
    connection->mysql = memory_needed(mysql_init(NULL));
    connection->server = server;
    connection->lent_until = INT64_MAX;
    connection->tries_until = INT64_MAX;
    connection->one_of_several = connection_servers(options->config) > 1;
    enum status status = connect_to_server(connection, options);
    if (status == STATUS_OK && connection->one_of_several) {
        status = check_writable(connection);
    }
    if (status != STATUS_OK) {
        connection_close(connection);
        return status;
    }
    *out = connection;
    return STATUS_OK;
}

enum status connection_open(const struct connection_options *options, struct connection **out) {
    enum status status = STATUS_AWAY;
    size_t servers = connection_servers(options->config);
    for (size_t server = 0; server < servers && status != STATUS_OK; server++) {
        status = connection_open_at(options, server, out);
    }
    return status;
}

size_t connection_server(const struct connection *connection) {
    return connection->server;
}

static void close_statement(struct sql *sql) {
    if (sql == NULL) {
        return;
    }
    if (sql->statement != NULL) {
        mysql_stmt_close(sql->statement);
    }
    for (size_t i = 0; i < sql->column_count; i++) {
        free(sql->columns[i].text);
    }
    free(sql);
}

void connection_close(struct connection *connection) {
    if (connection == NULL) {
        return;
    }
    for (size_t i = 0; i < STATEMENT_COUNT; i++) {
        close_statement(connection->prepared[i]);
    }
    ask_end(connection);
    mysql_close(connection->mysql);
    free(connection);
}

bool connection_is_usable(const struct connection *connection) {
    return !connection->lost;
}

bool connection_is_quiet(const struct connection *connection) {
    char byte;
    ssize_t size = recv(mysql_get_socket(connection->mysql), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void connection_set_generation(struct connection *connection, unsigned generation) {
    connection->generation = generation;
}

unsigned connection_generation(const struct connection *connection) {
    return connection->generation;
}

void connection_lend(struct connection *connection, duration tries_until, duration until) {
    connection->tries_until = tries_until;
    connection->lent_until = until;
}

bool connection_may_try_again(const struct connection *connection) {
    return connection->tries_until == INT64_MAX || clock_monotonic() < connection->tries_until;
}

bool connection_met_read_only(const struct connection *connection) {
    return connection->met_read_only;
}

bool connection_in_transaction(const struct connection *connection) {
    unsigned status = 0;
    mariadb_get_infov(connection->mysql, MARIADB_CONNECTION_SERVER_STATUS, &status);
    return (status & SERVER_STATUS_IN_TRANS) != 0;
}

enum status connection_probe(struct connection *connection) {
    if (ask_query(connection, PROBE, strlen(PROBE)) != 0) {
        connection->lost = true;
        return STATUS_AWAY;
    }
    return STATUS_OK;
}
