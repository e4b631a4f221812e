/* The floor's three statements on a connection of its own: see floor.sql. Every commit is durable, by the settings of
 * the server. Whatever fails ends the program. */
#ifndef RECAUDO_BENCH_FLOOR_DATA_H
#define RECAUDO_BENCH_FLOOR_DATA_H

/* Before base.h, because its macros use what that forbids. */
#include <mysql.h>

#include "bench/floor/floor_request.h"

enum { FLOOR_PARAMETERS = 3 };

/* Where the database is. */
struct floor_place {
    const char *socket;
    const char *database; /* the name of the account too */
    const char *password_file;
};

struct floor_data {
    MYSQL *mysql;
    MYSQL_STMT *statements[FLOOR_OPERATIONS];
    char parameters[FLOOR_PARAMETERS][FLOOR_TEXT_SIZE];
    unsigned long sizes[FLOOR_PARAMETERS];
    struct floor_row row;
};

/* Connects and prepares the statements. With `nonblocking`, statements may be executed by mysql_stmt_execute_start. */
void floor_data_open(struct floor_data *data, const struct floor_place *place, bool nonblocking);

/* Puts the request's values into the parameters; returns the statement to be executed. */
MYSQL_STMT *floor_data_bind(struct floor_data *data, const struct floor_request *request);

/* To be called after the execution. Returns what was found or written, valid until the next call; NULL: nothing was. */
const struct floor_row *floor_data_take(struct floor_data *data, const struct floor_request *request);

void floor_data_close(struct floor_data *data);

#endif
