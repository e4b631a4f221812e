#include "store/party/changeovers.h"

#include "store/db/sql.h"

const char sql_text_of_old_secret_note[] =
    "INSERT INTO old_secret_uses (party, party_id) VALUES (?, ?) ON DUPLICATE KEY UPDATE used_at = UTC_TIMESTAMP(6)";

const char sql_text_of_unsigned_note[] =
    "INSERT INTO unsigned_uses (network_id) VALUES (?) ON DUPLICATE KEY UPDATE used_at = UTC_TIMESTAMP(6)";

enum status changeovers_note_old_secret(struct connection *connection, struct text party, uint64_t id) {
    struct sql *sql = sql_begin(connection, SQL_old_secret_note);
    sql_text(sql, party);
    sql_number(sql, id);
    return sql_run_and_end(sql);
}

enum status changeovers_note_unsigned(struct connection *connection, uint64_t network_id) {
    struct sql *sql = sql_begin(connection, SQL_unsigned_note);
    sql_number(sql, network_id);
    return sql_run_and_end(sql);
}
