#include "store/connection_private.h"

#include "store/schema.h"

#include <errmsg.h>
#include <errno.h>
#include <mysqld_error.h>
#include <sys/socket.h>

enum { PASSWORD_BYTES = 512 };

static const char SESSION[] =
    "SET SESSION time_zone = '+00:00', tx_isolation = 'READ-COMMITTED', innodb_lock_wait_timeout = 4, autocommit = 1, "
    "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE'";

enum verdict { LOSES_CONNECTION = 1, ROLLED_BACK = 2, KEY_TAKEN = 4, NEVER_RAN = 8 };

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
    {ER_CONNECTION_KILLED, LOSES_CONNECTION},
    {ER_SERVER_SHUTDOWN, LOSES_CONNECTION},
    {ER_NORMAL_SHUTDOWN, LOSES_CONNECTION},
    {ER_UNKNOWN_COM_ERROR, LOSES_CONNECTION | NEVER_RAN}, /* 1047: a Galera node that is not Primary */
    {ER_LOCK_DEADLOCK, ROLLED_BACK},
    {ER_LOCK_WAIT_TIMEOUT, ROLLED_BACK},
    {ER_CHECKREAD, ROLLED_BACK},
    {ER_QUERY_INTERRUPTED, ROLLED_BACK},         /* somebody has killed the statement */
    {ER_OPTION_PREVENTS_STATEMENT, ROLLED_BACK}, /* read only, as while a replica takes over */
    {ER_DUP_ENTRY, KEY_TAKEN},
};

enum status connection_judge_error(struct connection *connection, unsigned error, bool sent) {
    unsigned verdict = 0;
    for (size_t i = 0; i < COUNT_OF(ERRORS); i++) {
        verdict |= ERRORS[i].error == error ? ERRORS[i].verdict : 0;
    }
    if ((verdict & LOSES_CONNECTION) != 0) {
        connection->lost = true;
        return sent && (verdict & NEVER_RAN) == 0 ? STATUS_UNSURE : STATUS_AWAY;
    }
    if ((verdict & ROLLED_BACK) != 0) {
        return STATUS_AGAIN;
    }
    return (verdict & KEY_TAKEN) != 0 ? STATUS_CLASH : STATUS_FAULT;
}

static bool read_password(const char *path, char password[PASSWORD_BYTES]) {
    password[0] = '\0';
    if (path == NULL) {
        return true;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        log_line(LOG_ERROR, "database password file cannot be read: %s", path);
        return false;
    }
    size_t size = fread(password, 1, PASSWORD_BYTES - 1, file);
    fclose(file);
    password[size] = '\0';
    password[strcspn(password, "\r\n")] = '\0';
    return true;
}

static void set_options(MYSQL *mysql, const struct config *config) {
    unsigned connect_seconds = (unsigned)(config->database.connect_timeout / SECOND);
    unsigned read_seconds = (unsigned)(config->database.read_timeout / SECOND);
    unsigned no_files = 0; /* NULL would allow them */
    my_bool no = 0;
    mysql_options(mysql, MYSQL_OPT_CONNECT_TIMEOUT, &connect_seconds);
    mysql_options(mysql, MYSQL_OPT_READ_TIMEOUT, &read_seconds);
    mysql_options(mysql, MYSQL_OPT_WRITE_TIMEOUT, &read_seconds);
    mysql_options(mysql, MYSQL_OPT_RECONNECT, &no);
    mysql_options(mysql, MYSQL_OPT_LOCAL_INFILE, &no_files);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_options(mysql, MYSQL_INIT_COMMAND, SESSION);
}

static enum status connect_to_server(MYSQL *mysql, const struct connection_options *options) {
    const struct config *config = options->config;
    char password[PASSWORD_BYTES];
    if (!read_password(options->account->password_file, password)) {
        return STATUS_FAULT;
    }
    set_options(mysql, config);
    const char *host = config->database.socket != NULL ? NULL : config->database.host;
    MYSQL *connected = mysql_real_connect(mysql, host, options->account->user, password, config->database.name,
                                          (unsigned)config->database.port, config->database.socket,
                                          CLIENT_FOUND_ROWS | CLIENT_MULTI_STATEMENTS);
    explicit_bzero(password, sizeof password);
    if (connected != NULL) {
        return STATUS_OK;
    }
    log_line(LOG_ERROR, "database: cannot connect as %s: %s (%u)", options->account->user, mysql_error(mysql),
             mysql_errno(mysql));
    unsigned error = mysql_errno(mysql);
    bool refused = error == ER_ACCESS_DENIED_ERROR || error == ER_BAD_DB_ERROR || error == ER_DBACCESS_DENIED_ERROR ||
                   error == ER_ACCESS_DENIED_NO_PASSWORD_ERROR;
    return refused ? STATUS_FAULT : STATUS_AWAY;
}

enum status connection_open(const struct connection_options *options, struct connection **out) {
    struct connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL || (connection->mysql = mysql_init(NULL)) == NULL) {
        abort();
    }
    enum status status = connect_to_server(connection->mysql, options);
    if (status == STATUS_OK && !options->any_schema) {
        status = schema_check(connection);
    }
    if (status != STATUS_OK) {
        connection_close(connection);
        return status;
    }
    *out = connection;
    return STATUS_OK;
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

bool connection_in_transaction(const struct connection *connection) {
    unsigned status = 0;
    mariadb_get_infov(connection->mysql, MARIADB_CONNECTION_SERVER_STATUS, &status);
    return (status & SERVER_STATUS_IN_TRANS) != 0;
}

enum status connection_probe(struct connection *connection) {
    if (mysql_query(connection->mysql, "DO 0") != 0) {
        connection->lost = true;
        return STATUS_AWAY;
    }
    return STATUS_OK;
}
