#include "store/party/merchant_row.h"

#include "store/db/guarded.h"
#include "store/db/rows.h"
#include "store/party/party_writes.h"

const char sql_text_of_merchant_find[] =
    "SELECT p.id, p.enabled, " SEALED_HASH_COLUMNS ", p.country FROM merchants p WHERE p.name = ?";

const char sql_text_of_merchant_find_commerce[] = "SELECT commerce, enabled FROM merchants WHERE id = ?";

const char sql_text_of_merchant_describe[] =
    "SELECT " MERCHANT_DESCRIPTION_COLUMNS " FROM merchants p WHERE p.name = ?";

const char sql_text_of_merchant_find_target[] =
    "SELECT UTC_TIMESTAMP(6), p.name, p.notify_url, c.currency, " SEALED_NOTIFICATION_HASH_COLUMNS
    ", p.notify_digest, p.acknowledgement FROM merchants p JOIN countries c ON c.code = p.country WHERE p.name = ?";

const char sql_text_of_merchant_list[] = "SELECT " MERCHANT_DESCRIPTION_COLUMNS " FROM merchants p ORDER BY p.name";

const char sql_text_of_merchant_insert[] =
    "INSERT INTO merchants (name, commerce, country, notify_url, notify_digest, acknowledgement, fixed_hash,"
    " notification_hash, changed_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

const char sql_text_of_merchant_change[] =
    "UPDATE merchants SET commerce = COALESCE(?, commerce), country = COALESCE(?, country),"
    " notify_url = NULLIF(COALESCE(?, notify_url), ''), notify_digest = COALESCE(?, notify_digest),"
    " acknowledgement = COALESCE(?, acknowledgement), changed_by = ? WHERE name = ?";

const char sql_text_of_merchant_set_enabled[] =
    "UPDATE merchants SET enabled = ?, changed_by = ? WHERE name = ? AND enabled <> ?";

/* Assignments run from left to right, so old_hash gets the previous secret. */
const char sql_text_of_merchant_rotate[] =
    "UPDATE merchants SET old_hash = IF(? > 0, fixed_hash, NULL),"
    " old_hash_until = IF(? > 0, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, NULL), fixed_hash = ?, changed_by = ?"
    " WHERE name = ? AND changed_at = ?";

const char sql_text_of_merchant_rotate_notification[] =
    "UPDATE merchants SET old_notification_hash = IF(? > 0, notification_hash, NULL),"
    " old_notification_hash_until = IF(? > 0, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, NULL), notification_hash = ?,"
    " changed_by = ? WHERE name = ? AND changed_at = ?";

const char sql_text_of_merchant_end_old_secret[] =
    "UPDATE merchants SET old_hash = NULL, old_hash_until = NULL, changed_by = ?"
    " WHERE name = ? AND changed_at = ? AND old_hash_until > UTC_TIMESTAMP(6)";

const char sql_text_of_merchant_end_old_notification_secret[] =
    "UPDATE merchants SET old_notification_hash = NULL, old_notification_hash_until = NULL, changed_by = ?"
    " WHERE name = ? AND changed_at = ? AND old_notification_hash_until > UTC_TIMESTAMP(6)";

enum status merchants_find(struct connection *connection, struct text name, struct arena *arena,
                           struct party_row *out) {
    struct sql *sql = sql_begin(connection, SQL_merchant_find);
    enum status status = rows_first_party(sql, name, arena, out);
    if (status == STATUS_OK) {
        out->country = sql_get_number(sql);
    }
    sql_end(sql);
    return status;
}

enum status merchants_find_commerce(struct connection *connection, uint64_t id, struct arena *arena,
                                    struct text *commerce, bool *enabled) {
    struct sql *sql = sql_begin(connection, SQL_merchant_find_commerce);
    sql_number(sql, id);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        *commerce = sql_get_text(sql, arena);
        *enabled = sql_get_number(sql) != 0;
    }
    sql_end(sql);
    return status;
}

void merchant_description_get(struct sql *sql, struct arena *arena, struct merchant_description *out) {
    out->id = sql_get_number(sql);
    out->name = sql_get_text(sql, arena);
    out->settings.commerce = sql_get_text(sql, arena);
    out->settings.country = sql_get_number(sql);
    out->settings.notify_url = sql_get_text(sql, arena);
    out->settings.notify_digest = sql_get_text(sql, arena);
    out->settings.acknowledgement = sql_get_text(sql, arena);
    out->enabled = sql_get_number(sql) != 0;
    out->old_hash_until = sql_get_instant(sql);
    out->old_hash_used_at = sql_get_instant(sql);
    out->old_notification_hash_until = sql_get_instant(sql);
    out->created_at = sql_get_instant(sql);
    out->changed_at = sql_get_instant(sql);
    out->changed_by = sql_get_text(sql, arena);
    out->reference_quarantine = (duration)sql_get_number(sql) * SECOND;
}

enum status merchants_describe(struct connection *connection, struct text name, struct arena *arena,
                               struct merchant_description *out) {
    struct sql *sql = sql_begin(connection, SQL_merchant_describe);
    sql_text(sql, name);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        merchant_description_get(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status merchants_find_target(struct connection *connection, struct text name, struct arena *arena,
                                  struct merchant_target *out) {
    struct sql *sql = sql_begin(connection, SQL_merchant_find_target);
    sql_text(sql, name);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->now = sql_get_instant(sql);
        out->name = sql_get_text(sql, arena);
        out->url = sql_get_text(sql, arena);
        out->currency = sql_get_text(sql, arena);
        rows_get_agreement(sql, arena, &out->sealed_hash, &out->digest, &out->acknowledgement);
    }
    sql_end(sql);
    return status;
}

enum status merchants_list(struct connection *connection, struct arena *arena,
                           void (*each)(void *context, const struct merchant_description *merchant), void *context) {
    struct sql *sql = sql_begin(connection, SQL_merchant_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct merchant_description merchant;
        merchant_description_get(sql, arena, &merchant);
        each(context, &merchant);
    }
    return sql_end_list(sql, status);
}

enum status merchants_insert(struct connection *connection, struct text name, const struct merchant_settings *settings,
                             struct text sealed_hash, struct text sealed_notification_hash, struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_merchant_insert);
    sql_text(sql, name);
    sql_text(sql, settings->commerce);
    sql_number(sql, settings->country);
    sql_text_or_null(sql, settings->notify_url);
    sql_text(sql, settings->notify_digest);
    sql_text(sql, settings->acknowledgement);
    sql_bytes(sql, sealed_hash.at, sealed_hash.size);
    sql_bytes(sql, sealed_notification_hash.at, sealed_notification_hash.size);
    sql_text(sql, actor);
    return sql_run_and_end(sql);
}

static bool keeps_text(struct text wanted, struct text now) {
    return wanted.at == NULL || text_equal(wanted, now);
}

bool merchants_has_settings(const struct merchant_description *merchant, const struct merchant_settings *wanted) {
    const struct merchant_settings *now = &merchant->settings;
    return keeps_text(wanted->commerce, now->commerce) && (wanted->country == 0 || wanted->country == now->country) &&
           keeps_text(wanted->notify_url, now->notify_url) && keeps_text(wanted->notify_digest, now->notify_digest) &&
           keeps_text(wanted->acknowledgement, now->acknowledgement);
}

enum status merchants_change(struct connection *connection, struct text name, const struct merchant_settings *settings,
                             struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_merchant_change);
    sql_text_or_null(sql, settings->commerce);
    sql_number_or_null(sql, settings->country);
    if (settings->notify_url.at != NULL) {
        sql_text(sql, settings->notify_url);
    } else {
        sql_text_or_null(sql, settings->notify_url);
    }
    sql_text_or_null(sql, settings->notify_digest);
    sql_text_or_null(sql, settings->acknowledgement);
    sql_text(sql, actor);
    sql_text(sql, name);
    return guarded_run(sql);
}

enum status merchants_set_enabled(struct connection *connection, struct text name, bool enabled, struct text actor) {
    return party_set_enabled(sql_begin(connection, SQL_merchant_set_enabled), name, enabled, actor);
}

enum status merchants_rotate(struct connection *connection, enum merchant_secret secret,
                             const struct merchant_description *was, struct text sealed_hash, duration overlap,
                             struct text actor) {
    static const enum statement STATEMENTS_OF[] = {
        [MERCHANT_FIXED_HASH] = SQL_merchant_rotate, [MERCHANT_NOTIFICATION_HASH] = SQL_merchant_rotate_notification};
    struct sql *sql = sql_begin(connection, STATEMENTS_OF[secret]);
    return party_rotate(sql, was->name, was->changed_at, sealed_hash, overlap, actor);
}

enum status merchants_end_old_secret(struct connection *connection, enum merchant_secret secret,
                                     const struct merchant_description *was, struct text actor) {
    static const enum statement STATEMENTS_OF[] = {[MERCHANT_FIXED_HASH] = SQL_merchant_end_old_secret,
                                                   [MERCHANT_NOTIFICATION_HASH] =
                                                       SQL_merchant_end_old_notification_secret};
    return party_end_old_secret(sql_begin(connection, STATEMENTS_OF[secret]), was->name, was->changed_at, actor);
}
