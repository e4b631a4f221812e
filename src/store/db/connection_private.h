/* The inside of a connection, for connection.c and sql.c. */
#ifndef RECAUDO_STORE_DB_CONNECTION_PRIVATE_H
#define RECAUDO_STORE_DB_CONNECTION_PRIVATE_H

/* Before ours: it names functions that we do not use. */
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
    bool failed_to_prepare, has_more; /* has_more: the server's last word on the rows is not read yet */
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
    size_t server;       /* which of the configured ones */
    bool one_of_several; /* another may take over, so one that does not accept writes is left */
    bool lost;
    bool in_unit;       /* of sql_transact */
    enum status undone; /* in a unit: see unit_undone */
    bool is_watched;    /* by the loop, through `socket` */
    struct task_socket socket;
    duration tries_until, lent_until;    /* of clock_monotonic */
    unsigned generation;                 /* of the pool */
    char reached_limit[LIMIT_NAME_SIZE]; /* the database's name of it */
    struct sql *prepared[STATEMENT_COUNT];
};

/*
 * Whether the server has rolled back the unit that runs. A cluster's does so when another server has changed the same
 * rows, and does not always say so in the answer to a statement whose status somebody looks at: then what followed
 * would be committed by itself, and COMMIT would succeed.
 */

/* STATUS_OK: it goes on, or none runs. Otherwise why it has failed; nothing more is to be sent for it. */
enum status unit_undone(struct connection *connection);

/* An error came where nobody looks for one: where rows end. */
void unit_note_undone(struct connection *connection, enum status why);

/* Asks the server. MariaDB 10.11 tells nobody when it rolls back while it prepares a statement. */
void unit_ask_undone(struct connection *connection);

/* What a server's or client's error number means for us. `sent`: the statement may have reached the server. */
enum status connection_judge_error(struct connection *connection, unsigned error, bool sent);

/* After STATUS_FULL, outside a transaction: lets every program know for a while (health_try_write). Not each time. */
void connection_note_full(struct connection *connection);

#endif
