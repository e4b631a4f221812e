#include "store/db/asking.h"

#include <fcntl.h>

static uint32_t events_of(int waits) {
    return ((waits & MYSQL_WAIT_READ) != 0 ? EPOLLIN : 0U) | ((waits & MYSQL_WAIT_WRITE) != 0 ? EPOLLOUT : 0U) |
           ((waits & MYSQL_WAIT_EXCEPT) != 0 ? EPOLLPRI : 0U);
}

static int waits_of(uint32_t events) {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        return MYSQL_WAIT_READ | MYSQL_WAIT_WRITE;
    }
    return ((events & EPOLLIN) != 0 ? MYSQL_WAIT_READ : 0) | ((events & EPOLLOUT) != 0 ? MYSQL_WAIT_WRITE : 0) |
           ((events & EPOLLPRI) != 0 ? MYSQL_WAIT_EXCEPT : 0);
}

/* Waits for the events in `waits`. Returns those that happened, to be passed to the library's _cont function. */
static int wait_for_server(struct connection *connection, int waits) {
    duration until = connection->lent_until;
    if ((waits & MYSQL_WAIT_TIMEOUT) != 0) {
        duration at = clock_monotonic() + mysql_get_timeout_value_ms(connection->mysql) * MILLISECOND;
        until = at < until ? at : until;
    }
    uint32_t ready = connection->is_watched
                         ? task_socket_wait(&connection->socket, events_of(waits), until)
                         : task_wait_for_fd(mysql_get_socket(connection->mysql), events_of(waits), until);
    return ready == 0 ? MYSQL_WAIT_TIMEOUT : waits_of(ready);
}

/* Starts a call and continues it until it ends. */
#define ASK(connection, start, go_on)                                                                                  \
    for (int waits = start; waits != 0;) {                                                                             \
        int ready = wait_for_server(connection, waits);                                                                \
        waits = go_on;                                                                                                 \
    }

enum { STACK_BYTES = 128 * 1024 }; /* the stack on which the library runs a call; TLS needs most */

/* When the link breaks off, the library closes the descriptor itself, and its number may have been reused. So this
 * reads the library's current descriptor. */
void ask_end(struct connection *connection) {
    if (connection->is_watched) {
        connection->socket.watch.fd = mysql_get_socket(connection->mysql);
        task_socket_end(&connection->socket);
        connection->is_watched = false;
    }
}

struct connecting {
    MYSQL *mysql;
    const struct server_address *to;
    bool is_connected;
};

static void connect_and_wait(void *of_connecting) {
    struct connecting *connecting = of_connecting;
    const struct server_address *to = connecting->to;
    connecting->is_connected = mysql_real_connect(connecting->mysql, to->host, to->user, to->password, to->database,
                                                  to->port, to->socket, to->flags) != NULL;
}

/* The library resolves host names with a blocking call, so a separate thread connects. */
static bool connect_over_network(MYSQL *mysql, const struct server_address *to) {
    struct connecting connecting = {.mysql = mysql, .to = to};
    if (!task_run_apart(connect_and_wait, &connecting) || !connecting.is_connected) {
        return false;
    }
    int fd = mysql_get_socket(mysql), flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static bool connect_locally(struct connection *connection, const struct server_address *to) {
    MYSQL *mysql = connection->mysql, *connected;
    ASK(connection,
        mysql_real_connect_start(&connected, mysql, to->host, to->user, to->password, to->database, to->port,
                                 to->socket, to->flags),
        mysql_real_connect_cont(&connected, mysql, ready))
    return connected != NULL;
}

bool ask_connect(struct connection *connection, const struct server_address *to) {
    MYSQL *mysql = connection->mysql;
    if (task_running() == NULL) {
        struct connecting connecting = {.mysql = mysql, .to = to};
        connect_and_wait(&connecting);
        return connecting.is_connected;
    }
    size_t stack = STACK_BYTES;
    mysql_options(mysql, MYSQL_OPT_NONBLOCK, &stack);
    bool connected = to->host == NULL ? connect_locally(connection, to) : connect_over_network(mysql, to);
    connection->is_watched = connected && task_socket_begin(&connection->socket, mysql_get_socket(mysql));
    return connection->is_watched;
}

int ask_query(struct connection *connection, const char *text, size_t size) {
    int result;
    if (task_running() == NULL) {
        return mysql_real_query(connection->mysql, text, size);
    }
    ASK(connection, mysql_real_query_start(&result, connection->mysql, text, size),
        mysql_real_query_cont(&result, connection->mysql, ready))
    return result;
}

int ask_next_result(struct connection *connection) {
    int result;
    if (task_running() == NULL) {
        return mysql_next_result(connection->mysql);
    }
    ASK(connection, mysql_next_result_start(&result, connection->mysql),
        mysql_next_result_cont(&result, connection->mysql, ready))
    return result;
}

MYSQL_RES *ask_store_result(struct connection *connection) {
    MYSQL_RES *result;
    if (task_running() == NULL) {
        return mysql_store_result(connection->mysql);
    }
    ASK(connection, mysql_store_result_start(&result, connection->mysql),
        mysql_store_result_cont(&result, connection->mysql, ready))
    return result;
}

int ask_prepare(struct connection *connection, MYSQL_STMT *statement, const char *text) {
    int result;
    if (task_running() == NULL) {
        return mysql_stmt_prepare(statement, text, strlen(text));
    }
    ASK(connection, mysql_stmt_prepare_start(&result, statement, text, strlen(text)),
        mysql_stmt_prepare_cont(&result, statement, ready))
    return result;
}

int ask_execute(struct connection *connection, MYSQL_STMT *statement) {
    int result;
    if (task_running() == NULL) {
        return mysql_stmt_execute(statement);
    }
    ASK(connection, mysql_stmt_execute_start(&result, statement), mysql_stmt_execute_cont(&result, statement, ready))
    return result;
}

int ask_fetch(struct connection *connection, MYSQL_STMT *statement) {
    int result;
    if (task_running() == NULL) {
        return mysql_stmt_fetch(statement);
    }
    ASK(connection, mysql_stmt_fetch_start(&result, statement), mysql_stmt_fetch_cont(&result, statement, ready))
    return result;
}

void ask_free_result(struct connection *connection, MYSQL_STMT *statement) {
    my_bool result;
    if (task_running() == NULL) {
        mysql_stmt_free_result(statement);
        return;
    }
    ASK(connection, mysql_stmt_free_result_start(&result, statement),
        mysql_stmt_free_result_cont(&result, statement, ready))
}
