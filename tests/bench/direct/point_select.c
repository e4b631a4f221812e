/* First, because its macros use what base.h forbids. */
#include <mysql.h>

#include "bench/common/fail.h"
#include "bench/common/options.h"
#include "bench/direct/point_select.h"

static const char select_order[] =
    "SELECT o.id, CAST(o.amount AS DECIMAL(19,2)), m.commerce, o.description, o.state, o.due_at FROM orders o "
    "JOIN merchants m ON m.id = o.merchant_id WHERE o.open_reference = ?";

enum { COLUMNS = 6 };

struct point_select {
    MYSQL *mysql;
    MYSQL_STMT *statement;
    char reference[POINT_TEXT_SIZE];
    unsigned long reference_size;
    struct point_row row;
    MYSQL_TIME due_at;
};

static MYSQL_BIND text_bind(char text[POINT_TEXT_SIZE]) {
    return (MYSQL_BIND){.buffer_type = MYSQL_TYPE_STRING, .buffer = text, .buffer_length = POINT_TEXT_SIZE};
}

static bool bind(struct point_select *select) {
    struct point_row *row = &select->row;
    MYSQL_BIND columns[COLUMNS] = {
        {.buffer_type = MYSQL_TYPE_LONGLONG, .buffer = &row->id},
        text_bind(row->amount),
        text_bind(row->commerce),
        text_bind(row->description),
        text_bind(row->state),
        {.buffer_type = MYSQL_TYPE_DATETIME, .buffer = &select->due_at},
    };
    MYSQL_BIND parameter = text_bind(select->reference);
    parameter.length = &select->reference_size;
    return mysql_stmt_bind_param(select->statement, &parameter) == 0 &&
           mysql_stmt_bind_result(select->statement, columns) == 0;
}

static bool connect_as_worker(MYSQL *mysql, const struct config *config) {
    const struct account_config *account = &config->database.worker;
    char *password = account->password_file == NULL ? NULL : options_secret(account->password_file);
    mysql_options(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    MYSQL *connected = mysql_real_connect(mysql, config->database.host, account->user, password, config->database.name,
                                          (unsigned)config->database.port, config->database.socket, 0);
    free(password);
    return connected != NULL;
}

struct point_select *point_select_open(const struct config *config) {
    struct point_select *select = calloc(1, sizeof *select);
    if (select == NULL || (select->mysql = mysql_init(NULL)) == NULL) {
        fail("out of memory");
    }
    if (!connect_as_worker(select->mysql, config)) {
        fail("%s", mysql_error(select->mysql));
    }
    select->statement = mysql_stmt_init(select->mysql);
    if (select->statement == NULL ||
        mysql_stmt_prepare(select->statement, select_order, sizeof select_order - 1) != 0 || !bind(select)) {
        fail("%s", mysql_error(select->mysql));
    }
    return select;
}

const struct point_row *point_select_find(struct point_select *select, struct text reference) {
    if (reference.size >= POINT_TEXT_SIZE) {
        return NULL;
    }
    memcpy(select->reference, reference.at, reference.size);
    select->reference_size = reference.size;
    if (mysql_stmt_execute(select->statement) != 0) {
        fail("%s", mysql_stmt_error(select->statement));
    }
    bool found = mysql_stmt_fetch(select->statement) == 0;
    mysql_stmt_free_result(select->statement);
    return found ? &select->row : NULL;
}

void point_select_close(struct point_select *select) {
    mysql_stmt_close(select->statement);
    mysql_close(select->mysql);
    free(select);
}
