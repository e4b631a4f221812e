#include "store/party/old_secrets.h"

#include "store/db/sql.h"

const char sql_text_of_old_secret_note[] =
    "INSERT INTO old_secret_uses (party, party_id) VALUES (?, ?) ON DUPLICATE KEY UPDATE used_at = UTC_TIMESTAMP(6)";

enum status old_secrets_note(struct connection *connection, struct text party, uint64_t id) {
    struct sql *sql = sql_begin(connection, SQL_old_secret_note);
    sql_text(sql, party);
    sql_number(sql, id);
    return sql_run_and_end(sql);
}
