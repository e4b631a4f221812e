#include "store/db/asking.h"

#include "store/db/error_text.h"

enum { RUNS_MAX = 5 };

static enum status command(struct connection *connection, const char *text) {
    if (ask_query(connection, text, strlen(text)) == 0) {
        return STATUS_OK;
    }
    unsigned error = mysql_errno(connection->mysql);
    enum status status = connection_judge_error(connection, error, true);
    if (status != STATUS_AGAIN) { /* STATUS_AGAIN, a write conflict, is not logged: the unit is retried */
        log_line(LOG_ERROR, "database: %s failed: %s (%u)", text, mysql_error(connection->mysql), error);
    }
    return status;
}

/*
 * Before COMMIT nothing has changed, so STATUS_UNSURE of the unit becomes STATUS_AWAY. A Galera node that has already
 * rolled back may answer ROLLBACK with a deadlock error.
 */
static enum status roll_back(struct connection *connection, enum status status) {
    if (!connection->lost) {
        enum status outcome = command(connection, "ROLLBACK");
        if (outcome == STATUS_AGAIN) {
            outcome = command(connection, "DO 0"); /* an error does not carry the transaction's state */
        }
        if (outcome != STATUS_OK || connection_in_transaction(connection)) {
            connection->lost = true;
        } else if (status == STATUS_FULL) {
            connection_note_full(connection);
        }
    }
    return status == STATUS_UNSURE ? STATUS_AWAY : status;
}

void unit_note_undone(struct connection *connection, enum status why) {
    if (connection->in_unit && connection->undone == STATUS_OK) {
        connection->undone = why;
    }
}

enum status unit_undone(struct connection *connection) {
    /* Each answer says whether a transaction is open. */
    if (connection->in_unit && !connection->lost && !connection_in_transaction(connection)) {
        unit_note_undone(connection, STATUS_AGAIN);
    }
    return connection->undone;
}

void unit_ask_undone(struct connection *connection) {
    if (connection->in_unit) {
        unit_note_undone(connection, command(connection, "DO 0"));
    }
}

/* If the server has rolled the unit back, it has failed, whatever the unit itself returns. */
static enum status run_unit(struct connection *connection, enum status (*unit)(struct connection *, void *),
                            void *context) {
    connection->in_unit = true;
    enum status status = unit(connection, context);
    enum status undone = unit_undone(connection);
    connection->in_unit = false;
    connection->undone = STATUS_OK;
    return undone != STATUS_OK ? undone : status;
}

static enum status run_once(struct connection *connection, enum status (*unit)(struct connection *, void *),
                            void *context) {
    connection->met_read_only = false;
    enum status status = command(connection, "START TRANSACTION");
    if (status != STATUS_OK) {
        return status == STATUS_UNSURE ? STATUS_AWAY : status;
    }
    status = run_unit(connection, unit, context);
    if (status != STATUS_OK) {
        return roll_back(connection, status);
    }
    status = command(connection, "COMMIT");
    return status == STATUS_OK || connection->lost ? status : roll_back(connection, status);
}

enum status sql_transact(struct connection *connection, enum status (*unit)(struct connection *, void *),
                         void *context) {
    enum status status;
    int runs = 0;
    do {
        status = run_once(connection, unit, context);
    } while (status == STATUS_AGAIN && !connection->lost && !connection->met_read_only && ++runs < RUNS_MAX &&
             connection_may_try_again(connection));
    return status;
}

enum status sql_script(struct connection *connection, const char *what, struct text statements) {
    int outcome = ask_query(connection, statements.at, statements.size);
    while (outcome == 0) {
        MYSQL_RES *rows = ask_store_result(connection);
        mysql_free_result(rows);
        outcome = ask_next_result(connection);
    }
    if (outcome > 0) {
        unsigned error = mysql_errno(connection->mysql);
        enum status status = connection_judge_error(connection, error, true);
        log_line(LOG_ERROR, "database: %s: %s (%u)%s", what, mysql_error(connection->mysql), error,
                 error_room(error, status));
        return STATUS_FAULT;
    }
    return STATUS_OK;
}
