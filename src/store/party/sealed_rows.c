#include "store/party/sealed_rows.h"

#include "base/sealed_pair.h"
#include "store/db/guarded.h"

const char sql_text_of_sealed_networks[] =
    "SELECT id, name, fixed_hash, old_hash FROM networks WHERE id > ? ORDER BY id LIMIT ?";

const char sql_text_of_sealed_merchants[] =
    "SELECT id, name, fixed_hash, old_hash, notification_hash, old_notification_hash"
    "  FROM merchants WHERE id > ? ORDER BY id LIMIT ?";

const char sql_text_of_sealed_merchant_logins[] =
    "SELECT id, name, fixed_hash, old_hash FROM merchants WHERE id > ? ORDER BY id LIMIT ?";

const char sql_text_of_sealed_network_replace[] =
    "UPDATE networks SET fixed_hash = ?, old_hash = ?, reencrypted = reencrypted + 1, changed_by = ?"
    " WHERE id = ? AND fixed_hash = ? AND old_hash <=> ?";

const char sql_text_of_sealed_merchant_replace[] =
    "UPDATE merchants SET fixed_hash = ?, old_hash = ?, notification_hash = ?, old_notification_hash = ?,"
    " reencrypted = reencrypted + 1, changed_by = ?"
    " WHERE id = ? AND fixed_hash = ? AND old_hash <=> ? AND notification_hash = ? AND old_notification_hash <=> ?";

static const struct {
    enum statement read, replace;
    size_t columns;
} TABLES[] = {
    [SEALED_NETWORKS] = {SQL_sealed_networks, SQL_sealed_network_replace, 2},
    [SEALED_MERCHANTS] = {SQL_sealed_merchants, SQL_sealed_merchant_replace, 4},
    [SEALED_MERCHANT_LOGINS] = {SQL_sealed_merchant_logins, STATEMENT_COUNT, 2},
};

const char *sealed_rows_column(enum sealed_table table, size_t column) {
    static const char *const OF_MERCHANTS[SEALED_MAX] = {SECRET_OF_MERCHANT, SECRET_OF_MERCHANT,
                                                         SECRET_OF_NOTIFICATIONS, SECRET_OF_NOTIFICATIONS};
    return table == SEALED_NETWORKS ? SECRET_OF_NETWORK : OF_MERCHANTS[column];
}

enum status sealed_rows_read(struct connection *connection, enum sealed_table table, uint64_t after, size_t most,
                             struct arena *arena, struct sealed_row *out, size_t *count) {
    struct sql *sql = sql_begin(connection, TABLES[table].read);
    sql_number(sql, after);
    sql_number(sql, most);
    enum status status = sql_first(sql);
    for (*count = 0; status == STATUS_OK && *count < most; status = sql_next(sql)) {
        struct sealed_row *row = &out[(*count)++];
        *row = (struct sealed_row){.id = sql_get_number(sql)};
        row->name = sql_get_text(sql, arena);
        for (size_t i = 0; i < TABLES[table].columns; i++) {
            row->sealed[i] = sql_get_text(sql, arena);
        }
    }
    return sql_end_list(sql, status);
}

static void bind_sealed(struct sql *sql, const struct text *sealed, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (sealed[i].size > 0) {
            sql_bytes(sql, sealed[i].at, sealed[i].size);
        } else {
            sql_text_or_null(sql, sealed[i]);
        }
    }
}

enum status sealed_rows_replace(struct connection *connection, enum sealed_table table, const struct sealed_row *before,
                                const struct text after[SEALED_MAX], struct text actor) {
    struct sql *sql = sql_begin(connection, TABLES[table].replace);
    bind_sealed(sql, after, TABLES[table].columns);
    sql_text(sql, actor);
    sql_number(sql, before->id);
    bind_sealed(sql, before->sealed, TABLES[table].columns);
    return guarded_run(sql);
}
