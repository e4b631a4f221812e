#include "store/integrations.h"

#include "store/sql.h"

/* Ecuador, where the answer must say who pays. */
#define IDENTIFIES_CUSTOMERS "m.country = 345"

const char sql_text_of_integration_read[] =
    "SELECT i.id, i.kind, i.code, i.network_id, i.endpoint, i.currency, c.query_code, i.merchant_id, m.name, "
    "m.fixed_hash,"
    " m.enabled, " IDENTIFIES_CUSTOMERS " FROM integrations i STRAIGHT_JOIN merchants m ON m.id = i.merchant_id"
    " STRAIGHT_JOIN currencies c ON c.code = i.currency WHERE c.query_code IS NOT NULL";

static void get(struct sql *sql, struct arena *arena, struct integration *out) {
    out->id = sql_get_number(sql);
    out->kind = (enum integration_kind)sql_get_number(sql);
    out->code = sql_get_text(sql, arena);
    out->network_id = sql_get_number(sql);
    out->endpoint = sql_get_text(sql, arena);
    out->currency = sql_get_text(sql, arena);
    out->currency_code = (unsigned)sql_get_number(sql);
    out->merchant_id = sql_get_number(sql);
    out->merchant = sql_get_text(sql, arena);
    out->sealed_hash = sql_get_text(sql, arena);
    out->merchant_enabled = sql_get_number(sql) != 0;
    out->identifies_customers = sql_get_number(sql) != 0;
}

/* Twice the room, with what is there. */
static struct integration *grow(struct integration *old, size_t count, struct arena *arena) {
    struct integration *larger = arena_alloc(arena, 2 * count * sizeof *larger);
    memcpy(larger, old, count * sizeof *larger);
    return larger;
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
            *out = grow(*out, room, arena);
            room *= 2;
        }
        get(sql, arena, &(*out)[(*count)++]);
    }
    sql_end(sql);
    return status == STATUS_NONE ? STATUS_OK : status;
}
