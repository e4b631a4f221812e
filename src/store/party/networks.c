#include "store/party/network_row.h"

#include "store/db/guarded.h"
#include "store/db/rows.h"
#include "store/party/party_writes.h"

#include <assert.h>

const char sql_text_of_network_find[] =
    "SELECT p.id, p.enabled, " SEALED_HASH_COLUMNS
    ", p.allow_addresses, p.rate_limit, p.rate_burst, p.distinct_from IS NOT NULL, p.signature,"
    " GREATEST(0, COALESCE(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), p.distinct_from), 0))"
    " FROM networks p WHERE p.name = ?";

const char sql_text_of_network_describe[] = "SELECT " NETWORK_DESCRIPTION_COLUMNS " FROM networks p WHERE p.name = ?";

const char sql_text_of_network_list[] = "SELECT " NETWORK_DESCRIPTION_COLUMNS " FROM networks p ORDER BY p.name";

const char sql_text_of_network_insert[] =
    "INSERT INTO networks (name, fixed_hash, allow_addresses, rate_limit, rate_burst, distinct_from, signature,"
    " changed_by) VALUES (?, ?, ?, ?, ?, IF(?, UTC_TIMESTAMP(6), NULL), ?, ?)";

const char sql_text_of_network_set_enabled[] =
    "UPDATE networks SET enabled = ?, changed_by = ? WHERE name = ? AND enabled <> ?";

/* Assignments run from left to right, so old_hash gets the previous secret. */
const char sql_text_of_network_rotate[] =
    "UPDATE networks SET old_hash = IF(? > 0, fixed_hash, NULL),"
    " old_hash_until = IF(? > 0, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, NULL), fixed_hash = ?, changed_by = ?"
    " WHERE name = ? AND changed_at = ?";

const char sql_text_of_network_end_old_secret[] =
    "UPDATE networks SET old_hash = NULL, old_hash_until = NULL, changed_by = ?"
    " WHERE name = ? AND changed_at = ? AND old_hash_until > UTC_TIMESTAMP(6)";

const char sql_text_of_network_set_access[] =
    "UPDATE networks SET allow_addresses = ?, rate_limit = ?, rate_burst = ?,"
    " distinct_from = IF(?, COALESCE(distinct_from, UTC_TIMESTAMP(6) + INTERVAL 1 DAY), NULL), signature = ?,"
    " changed_by = ? WHERE name = ? AND changed_at = ?";

static void get_access(struct sql *sql, struct arena *arena, struct text *allow, struct rate *rate) {
    *allow = sql_get_text(sql, arena);
    rate->per_second = sql_get_number(sql);
    rate->burst = sql_get_number(sql);
}

/* The column's type admits no other words. */
static enum signature_rule get_signature_rule(struct sql *sql, struct arena *arena) {
    enum signature_rule rule = SIGNATURE_REQUIRED;
    bool known = signature_rule_parse(sql_get_text(sql, arena), &rule);
    assert(known);
    return rule;
}

enum status networks_find(struct connection *connection, struct text name, struct arena *arena, struct party_row *out) {
    struct sql *sql = sql_begin(connection, SQL_network_find);
    enum status status = rows_first_party(sql, name, arena, out);
    if (status == STATUS_OK) {
        get_access(sql, arena, &out->allow, &out->rate);
        out->ids_are_distinct = sql_get_number(sql) != 0;
        out->signature = get_signature_rule(sql, arena);
        out->plain_for = (duration)sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

void network_description_get(struct sql *sql, struct arena *arena, struct network_description *out) {
    out->id = sql_get_number(sql);
    out->name = sql_get_text(sql, arena);
    out->enabled = sql_get_number(sql) != 0;
    out->old_hash_until = sql_get_instant(sql);
    out->old_hash_used_at = sql_get_instant(sql);
    out->created_at = sql_get_instant(sql);
    out->changed_at = sql_get_instant(sql);
    out->changed_by = sql_get_text(sql, arena);
    get_access(sql, arena, &out->access.allow, &out->access.rate);
    out->access.signing.ids_are_distinct = sql_get_number(sql) != 0;
    out->access.signing.signature = get_signature_rule(sql, arena);
    out->unsigned_used_at = sql_get_instant(sql);
    out->plain_until = sql_get_instant(sql);
}

enum status networks_describe(struct connection *connection, struct text name, struct arena *arena,
                              struct network_description *out) {
    struct sql *sql = sql_begin(connection, SQL_network_describe);
    sql_text(sql, name);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        network_description_get(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status networks_list(struct connection *connection, struct arena *arena,
                          void (*each)(void *context, const struct network_description *network), void *context) {
    struct sql *sql = sql_begin(connection, SQL_network_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct network_description network;
        network_description_get(sql, arena, &network);
        each(context, &network);
    }
    return sql_end_list(sql, status);
}

static void give_access(struct sql *sql, const struct network_access *access) {
    sql_text(sql, access->allow);
    sql_number(sql, access->rate.per_second);
    sql_number(sql, access->rate.burst);
    sql_number(sql, access->signing.ids_are_distinct);
    sql_text(sql, text_of(signature_rule_name(access->signing.signature)));
}

enum status networks_insert(struct connection *connection, struct text name, struct text sealed_hash,
                            const struct network_access *access, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_network_insert);
    sql_text(sql, name);
    sql_bytes(sql, sealed_hash.at, sealed_hash.size);
    give_access(sql, access);
    sql_text(sql, actor);
    return sql_run_and_end(sql);
}

enum status networks_set_enabled(struct connection *connection, struct text name, bool enabled, struct text actor) {
    return party_set_enabled(sql_begin(connection, SQL_network_set_enabled), name, enabled, actor);
}

enum status networks_rotate(struct connection *connection, const struct network_description *was,
                            struct text sealed_hash, duration overlap, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_network_rotate);
    return party_rotate(sql, was->name, was->changed_at, sealed_hash, overlap, actor);
}

enum status networks_end_old_secret(struct connection *connection, const struct network_description *was,
                                    struct text actor) {
    return party_end_old_secret(sql_begin(connection, SQL_network_end_old_secret), was->name, was->changed_at, actor);
}

enum status networks_set_access(struct connection *connection, const struct network_description *was,
                                const struct network_access *access, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_network_set_access);
    give_access(sql, access);
    sql_text(sql, actor);
    sql_text(sql, was->name);
    sql_instant(sql, was->changed_at);
    return guarded_run(sql);
}
