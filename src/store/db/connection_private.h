/* The inside of a connection, for the files of this folder. */
#ifndef RECAUDO_STORE_DB_CONNECTION_PRIVATE_H
#define RECAUDO_STORE_DB_CONNECTION_PRIVATE_H

/* Before our headers: it declares functions that we do not use. */
#include <mysql.h>

#include "base/loop/loop.h"
#include "store/db/sql.h"

enum { PARAMETERS_MAX = 32, COLUMNS_MAX = 48, KEY_NAME_SIZE = 65, LIMIT_NAME_SIZE = 64 };

struct parameter {
    uint64_t number;
    char money[MONEY_TEXT_SIZE];
    MYSQL_TIME time;
};

struct column {
    uint64_t number;
    MYSQL_TIME time;
    char *text;
    unsigned long size;
    my_bool is_null, is_cut;
};

struct sql {
    struct connection *connection;
    MYSQL_STMT *statement;
    enum statement slot;
    bool failed_to_prepare, has_more; /* has_more: the end of the rows has not been read yet */
    enum status prepare_status;
    unsigned parameter_count, parameters_given, column_count, columns_read;
    MYSQL_BIND parameters[PARAMETERS_MAX];
    struct parameter values[PARAMETERS_MAX];
    MYSQL_BIND binds[COLUMNS_MAX];
    struct column columns[COLUMNS_MAX];
    uint64_t inserted_id;
    char clashed_key[KEY_NAME_SIZE];
};

struct connection {
    MYSQL *mysql;
    size_t server;       /* index among the configured servers */
    bool one_of_several; /* other servers are configured, so a server that turns read-only counts as lost */
    bool lost;
    bool met_read_only; /* the last statement or COMMIT that failed did, because the server is read-only */
    bool in_unit;       /* sql_transact is running a unit */
    enum status undone; /* in a unit: the error that rolled it back; see unit_undone */
    bool is_watched;    /* registered with the loop, through `socket` */
    struct task_socket socket;
    duration tries_until, lent_until;    /* on clock_monotonic */
    unsigned generation;                 /* of the pool */
    char reached_limit[LIMIT_NAME_SIZE]; /* the limit's name in the database */
    struct sql *prepared[STATEMENT_COUNT];
};

/*
 * Tells whether the server has rolled back the running unit. A Galera node does so when another node has changed the
 * same rows, and does not always report it in an answer whose status is checked. Unnoticed, the statements that follow
 * would each be committed by themselves, and COMMIT would succeed.
 */

/* Returns STATUS_OK if the unit is intact or none runs, otherwise why it failed; send no more of its statements
 * then. */
enum status unit_undone(struct connection *connection);

/* Records an error that arrived where no status is returned: at the end of the rows. */
void unit_note_undone(struct connection *connection, enum status why);

/* Asks the server. MariaDB 10.11 does not report a rollback that happens while it prepares a statement. */
void unit_ask_undone(struct connection *connection);

/* Converts an error number of the server or client library. `sent`: the statement may have reached the server. */
enum status connection_judge_error(struct connection *connection, unsigned error, bool sent);

/* Tells all programs that the disk is full (health_try_write), at most every 10 s. After STATUS_FULL, outside a
 * transaction. */
void connection_note_full(struct connection *connection);

#endif
