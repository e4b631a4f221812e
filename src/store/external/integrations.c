#include "store/external/integrations.h"

#include "store/db/guarded.h"
#include "store/db/rows.h"

/* Ecuador, where the answer must name the payer. */
#define IDENTIFIES_CUSTOMERS "p.country = 345"

const char sql_text_of_integration_read[] =
    "SELECT i.id, i.kind, i.code, i.network_id, i.endpoint, i.currency, c.query_code, i.merchant_id,"
    " p.name, " SEALED_HASH_COLUMNS ", p.enabled, " IDENTIFIES_CUSTOMERS
    " FROM integrations i STRAIGHT_JOIN merchants p ON p.id = i.merchant_id"
    " STRAIGHT_JOIN currencies c ON c.code = i.currency WHERE c.query_code IS NOT NULL AND i.removed_at IS NULL";

#define ROW_COLUMNS                                                                                                    \
    "SELECT i.id, i.kind, m.name, i.code, n.name, i.endpoint, i.currency, i.changed_by, i.created_at, i.removed_at"    \
    " FROM integrations i STRAIGHT_JOIN merchants m ON m.id = i.merchant_id"                                           \
    " LEFT JOIN networks n ON n.id = i.network_id"

const char sql_text_of_integration_list[] = ROW_COLUMNS
    " WHERE (i.merchant_id = ? OR ? = 0) AND (i.removed_at IS NULL OR ?) ORDER BY i.kind, i.code, i.id DESC";

const char sql_text_of_integration_describe[] = ROW_COLUMNS " WHERE i.id = ?";

const char sql_text_of_integration_overlap[] = "SELECT reference_under_code(?, ?, ?)";

const char sql_text_of_integration_insert[] =
    "INSERT INTO integrations (merchant_id, kind, code, network_id, endpoint, currency, changed_by)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)";

const char sql_text_of_integration_change[] =
    "UPDATE integrations SET endpoint = COALESCE(?, endpoint), currency = COALESCE(?, currency), changed_by = ?"
    " WHERE id = ? AND removed_at IS NULL";

const char sql_text_of_integration_remove[] =
    "UPDATE integrations SET removed_at = UTC_TIMESTAMP(6), changed_by = ? WHERE id = ? AND removed_at IS NULL";

static void get_integration(struct sql *sql, struct arena *arena, struct integration *out) {
    out->id = sql_get_number(sql);
    out->kind = (enum integration_kind)sql_get_number(sql);
    out->code = sql_get_text(sql, arena);
    out->network_id = sql_get_number(sql);
    out->endpoint = sql_get_text(sql, arena);
    out->currency = sql_get_text(sql, arena);
    out->currency_code = (unsigned)sql_get_number(sql);
    out->merchant_id = sql_get_number(sql);
    out->merchant = sql_get_text(sql, arena);
    rows_get_sealed_pair(sql, arena, &out->sealed_hash);
    out->merchant_enabled = sql_get_number(sql) != 0;
    out->identifies_customers = sql_get_number(sql) != 0;
}

enum status integrations_read(struct connection *connection, struct arena *arena, struct integration **out,
                              size_t *count) {
    size_t room = 16;
    *count = 0;
    *out = arena_alloc(arena, room * sizeof **out);
    struct sql *sql = sql_begin(connection, SQL_integration_read);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        if (*count == room) {
            room *= 2;
            *out = arena_enlarge(arena, *out, *count * sizeof **out, room * sizeof **out);
        }
        get_integration(sql, arena, &(*out)[(*count)++]);
    }
    return sql_end_list(sql, status);
}

static void get_integration_row(struct sql *sql, struct arena *arena, struct integration_row *out) {
    out->id = sql_get_number(sql);
    out->kind = sql_get_number(sql);
    out->merchant = sql_get_text(sql, arena);
    out->code = sql_get_text(sql, arena);
    out->network = sql_get_text(sql, arena);
    out->endpoint = sql_get_text(sql, arena);
    out->currency = sql_get_text(sql, arena);
    out->changed_by = sql_get_text(sql, arena);
    out->created_at = sql_get_instant(sql);
    out->removed_at = sql_get_instant(sql);
}

enum status integrations_list(struct connection *connection, const struct integration_filter *filter,
                              struct arena *arena,
                              void (*each)(void *context, const struct integration_row *integration), void *context) {
    struct sql *sql = sql_begin(connection, SQL_integration_list);
    sql_number(sql, filter->merchant_id);
    sql_number(sql, filter->merchant_id);
    sql_number(sql, filter->removed_too);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct integration_row row;
        get_integration_row(sql, arena, &row);
        each(context, &row);
    }
    return sql_end_list(sql, status);
}

enum status integrations_describe(struct connection *connection, uint64_t id, struct arena *arena,
                                  struct integration_row *out) {
    struct sql *sql = sql_begin(connection, SQL_integration_describe);
    sql_number(sql, id);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_integration_row(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status integrations_find_overlap(struct connection *connection, const struct integration_settings *settings,
                                      struct arena *arena, struct text *reference) {
    struct sql *sql = sql_begin(connection, SQL_integration_overlap);
    sql_text(sql, settings->code);
    sql_number(sql, settings->kind);
    sql_number(sql, settings->merchant_id);
    return rows_one_text(sql, arena, reference);
}

enum status integrations_insert(struct connection *connection, const struct integration_settings *settings,
                                struct text actor, uint64_t *id) {
    struct sql *sql = sql_begin(connection, SQL_integration_insert);
    sql_number(sql, settings->merchant_id);
    sql_number(sql, settings->kind);
    sql_text(sql, settings->code);
    sql_number_or_null(sql, settings->network_id);
    sql_text(sql, settings->endpoint);
    sql_text(sql, settings->currency);
    sql_text(sql, actor);
    enum status status = sql_run(sql, NULL);
    if (status == STATUS_OK) {
        *id = sql_inserted_id(sql);
    }
    sql_end(sql);
    return status;
}

enum status integrations_change(struct connection *connection, uint64_t id, struct text endpoint, struct text currency,
                                struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_integration_change);
    sql_text_or_null(sql, endpoint);
    sql_text_or_null(sql, currency);
    sql_text(sql, actor);
    sql_number(sql, id);
    return guarded_run(sql);
}

enum status integrations_remove(struct connection *connection, uint64_t id, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_integration_remove);
    sql_text(sql, actor);
    sql_number(sql, id);
    return guarded_run(sql);
}
