/* First, because its header includes mysql.h. */
#include "bench/floor/floor_data.h"

#include "bench/common/fail.h"
#include "bench/common/options.h"

static const char *const texts[FLOOR_OPERATIONS] = {
    [FLOOR_LOOKUP] = "SELECT amount, commerce, description FROM orders WHERE reference = ?",
    [FLOOR_REGISTER] = "INSERT INTO payments (network_transaction, reference, amount) VALUES (?, ?, ?)",
    [FLOOR_CONFIRM] = "UPDATE payments SET state = 'CONFIRMADA' WHERE network_transaction = ? AND state = 'REGISTRADA'",
};

static void connect_to(struct floor_data *data, const struct floor_place *place, bool nonblocking) {
    char *password = options_secret(place->password_file);
    data->mysql = mysql_init(NULL);
    mysql_options(data->mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (nonblocking) {
        mysql_options(data->mysql, MYSQL_OPT_NONBLOCK, NULL);
    }
    if (mysql_real_connect(data->mysql, NULL, place->database, password, place->database, 0, place->socket, 0) ==
        NULL) {
        fail("%s", mysql_error(data->mysql));
    }
    free(password);
}

static MYSQL_BIND text_bind(char text[FLOOR_TEXT_SIZE]) {
    return (MYSQL_BIND){.buffer_type = MYSQL_TYPE_STRING, .buffer = text, .buffer_length = FLOOR_TEXT_SIZE};
}

static void prepare(struct floor_data *data, enum floor_operation operation) {
    MYSQL_STMT *statement = mysql_stmt_init(data->mysql);
    MYSQL_BIND parameters[FLOOR_PARAMETERS];
    for (unsigned i = 0; i < FLOOR_PARAMETERS; i++) {
        parameters[i] = text_bind(data->parameters[i]);
        parameters[i].length = &data->sizes[i];
    }
    MYSQL_BIND columns[] = {text_bind(data->row.amount), text_bind(data->row.commerce),
                            text_bind(data->row.description)};
    if (statement == NULL || mysql_stmt_prepare(statement, texts[operation], strlen(texts[operation])) != 0 ||
        mysql_stmt_bind_param(statement, parameters) != 0 ||
        (operation == FLOOR_LOOKUP && mysql_stmt_bind_result(statement, columns) != 0)) {
        fail("%s: %s", texts[operation], mysql_error(data->mysql));
    }
    data->statements[operation] = statement;
}

void floor_data_open(struct floor_data *data, const struct floor_place *place, bool nonblocking) {
    *data = (struct floor_data){0};
    connect_to(data, place, nonblocking);
    for (unsigned operation = 0; operation < FLOOR_OPERATIONS; operation++) {
        prepare(data, (enum floor_operation)operation);
    }
}

static void set(struct floor_data *data, unsigned number, struct text value) {
    if (value.size >= FLOOR_TEXT_SIZE) {
        fail("a value of %zu bytes", value.size);
    }
    memcpy(data->parameters[number], value.at, value.size);
    data->sizes[number] = value.size;
}

MYSQL_STMT *floor_data_bind(struct floor_data *data, const struct floor_request *request) {
    set(data, 0, request->operation == FLOOR_LOOKUP ? request->reference : request->transaction);
    if (request->operation == FLOOR_REGISTER) {
        set(data, 1, request->reference);
        set(data, 2, request->amount);
    }
    return data->statements[request->operation];
}

const struct floor_row *floor_data_take(struct floor_data *data, const struct floor_request *request) {
    MYSQL_STMT *statement = data->statements[request->operation];
    bool found;
    if (request->operation == FLOOR_LOOKUP) {
        found = mysql_stmt_fetch(statement) == 0;
        mysql_stmt_free_result(statement);
    } else {
        found = mysql_stmt_affected_rows(statement) == 1;
        data->row.id = mysql_stmt_insert_id(statement);
    }
    return found ? &data->row : NULL;
}

void floor_data_close(struct floor_data *data) {
    for (unsigned operation = 0; operation < FLOOR_OPERATIONS; operation++) {
        mysql_stmt_close(data->statements[operation]);
    }
    mysql_close(data->mysql);
}
