#include "store/order/references.h"

#include "store/db/guarded.h"
#include "store/db/rows.h"

const char sql_text_of_reference_anothers[] = "SELECT reference_is_anothers(?, ?)";

const char sql_text_of_reference_describe[] =
    "SELECT r.reference IS NOT NULL, r.reference IS NOT NULL AND r.merchant_id IS NULL, m.name, o.id,"
    " IF(o.id IS NULL, reference_kept_until(r.reference, r.merchant_id), NULL),"
    " r.reference IS NOT NULL"
    "   AND (r.merchant_id IS NULL OR reference_kept_until(r.reference, r.merchant_id) > UTC_TIMESTAMP(6)), p.name"
    " FROM always LEFT JOIN reference_owners r ON r.reference = ? LEFT JOIN merchants m ON m.id = r.merchant_id"
    " LEFT JOIN orders o ON o.open_reference = r.reference LEFT JOIN merchants p ON p.id = reference_prefix_owner(?)"
    " WHERE always.id = 1";

const char sql_text_of_reference_prefix_list[] =
    "SELECT p.prefix, m.name, p.changed_by, p.created_at FROM reference_prefixes p"
    " JOIN merchants m ON m.id = p.merchant_id ORDER BY p.prefix";

const char sql_text_of_reference_prefix_of_merchant[] =
    "SELECT COALESCE(GROUP_CONCAT(prefix ORDER BY prefix SEPARATOR ', '), '') FROM reference_prefixes"
    " WHERE merchant_id = ?";

/* The index of open references keeps those with the same prefix together. ':' sorts after all digits. */
const char sql_text_of_reference_others[] =
    "SELECT COUNT(*) FROM (SELECT 1 FROM orders WHERE open_reference BETWEEN ? AND CONCAT(?, ':')"
    " AND merchant_id <> ? LIMIT ?) AS found";

const char sql_text_of_reference_prefix_insert[] =
    "INSERT INTO reference_prefixes (prefix, merchant_id, changed_by) VALUES (?, ?, ?)";

/* The trigger that logs the deletion takes the actor from here. */
const char sql_text_of_reference_prefix_mark[] = "UPDATE reference_prefixes SET changed_by = ? WHERE prefix = ?";

const char sql_text_of_reference_prefix_delete[] = "DELETE FROM reference_prefixes WHERE prefix = ?";

const char sql_text_of_reference_quarantine[] =
    "UPDATE merchants SET reference_quarantine = ?, changed_by = ? WHERE name = ? AND reference_quarantine <> ?";

enum status references_find_anothers(struct connection *connection, struct text reference, uint64_t merchant_id,
                                     bool *is_anothers) {
    struct sql *sql = sql_begin(connection, SQL_reference_anothers);
    sql_text(sql, reference);
    sql_number(sql, merchant_id);
    return rows_one_bool(sql, is_anothers);
}

enum status references_describe(struct connection *connection, struct text reference, struct arena *arena,
                                struct reference_description *out) {
    struct sql *sql = sql_begin(connection, SQL_reference_describe);
    sql_text(sql, reference);
    sql_text(sql, reference);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        out->is_taken = sql_get_number(sql) != 0;
        out->is_account = sql_get_number(sql) != 0;
        out->merchant = sql_get_text(sql, arena);
        out->open_order = sql_get_number(sql);
        out->kept_until = sql_get_instant(sql);
        out->is_kept = sql_get_number(sql) != 0;
        out->prefix_merchant = sql_get_text(sql, arena);
    }
    sql_end(sql);
    return status;
}

enum status references_list_prefixes(struct connection *connection, struct arena *arena,
                                     void (*each)(void *context, const struct reference_prefix *prefix),
                                     void *context) {
    struct sql *sql = sql_begin(connection, SQL_reference_prefix_list);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct reference_prefix prefix;
        prefix.prefix = sql_get_text(sql, arena);
        prefix.merchant = sql_get_text(sql, arena);
        prefix.changed_by = sql_get_text(sql, arena);
        prefix.created_at = sql_get_instant(sql);
        each(context, &prefix);
    }
    return sql_end_list(sql, status);
}

enum status references_prefixes_of(struct connection *connection, uint64_t merchant_id, struct arena *arena,
                                   struct text *out) {
    struct sql *sql = sql_begin(connection, SQL_reference_prefix_of_merchant);
    sql_number(sql, merchant_id);
    return rows_one_text(sql, arena, out);
}

enum status references_count_others(struct connection *connection, struct text prefix, uint64_t merchant_id,
                                    uint64_t limit, uint64_t *count) {
    struct sql *sql = sql_begin(connection, SQL_reference_others);
    sql_text(sql, prefix);
    sql_text(sql, prefix);
    sql_number(sql, merchant_id);
    sql_number(sql, limit);
    return rows_one_number(sql, count);
}

enum status references_give_prefix(struct connection *connection, struct text prefix, uint64_t merchant_id,
                                   struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_reference_prefix_insert);
    sql_text(sql, prefix);
    sql_number(sql, merchant_id);
    sql_text(sql, actor);
    return sql_run_and_end(sql);
}

struct taking {
    struct text prefix, actor;
};

static enum status take_prefix(struct connection *connection, void *of_taking) {
    const struct taking *taking = of_taking;
    struct sql *sql = sql_begin(connection, SQL_reference_prefix_mark);
    sql_text(sql, taking->actor);
    sql_text(sql, taking->prefix);
    enum status status = guarded_run(sql);
    if (status == STATUS_OK) {
        sql = sql_begin(connection, SQL_reference_prefix_delete);
        sql_text(sql, taking->prefix);
        status = guarded_run(sql);
    }
    return status;
}

enum status references_take_prefix(struct connection *connection, struct text prefix, struct text actor) {
    struct taking taking = {prefix, actor};
    return sql_transact(connection, take_prefix, &taking);
}

enum status references_set_quarantine(struct connection *connection, struct text merchant, duration quarantine,
                                      struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_reference_quarantine);
    sql_number(sql, (uint64_t)(quarantine / SECOND));
    sql_text(sql, actor);
    sql_text(sql, merchant);
    sql_number(sql, (uint64_t)(quarantine / SECOND));
    return guarded_run(sql);
}
