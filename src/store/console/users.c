#include "store/console/users.h"

#include "store/db/guarded.h"
#include "store/db/rows.h"

#define USER_COLUMNS                                                                                                   \
    "u.id, u.name, u.role, u.merchant_id, m.name, u.enabled, u.changed_by, u.created_at, u.changed_at"                 \
    " FROM console_users u LEFT JOIN merchants m ON m.id = u.merchant_id"

const char sql_text_of_console_user_find[] = "SELECT " USER_COLUMNS " WHERE u.name = ?";

const char sql_text_of_console_user_list[] = "SELECT " USER_COLUMNS " ORDER BY u.name";

const char sql_text_of_console_user_insert[] =
    "INSERT INTO console_users (name, role, merchant_id, changed_by) VALUES (?, ?, ?, ?)";

/* A user who has this role already is left unchanged, including changed_by. */
const char sql_text_of_console_user_set[] = "UPDATE console_users SET role = ?, merchant_id = ?, changed_by = ?"
                                            " WHERE name = ? AND NOT (role = ? AND COALESCE(merchant_id, 0) = ?)";

const char sql_text_of_console_user_set_enabled[] =
    "UPDATE console_users SET enabled = ?, changed_by = ? WHERE name = ? AND enabled <> ?";

const char sql_text_of_console_key_read[] = "SELECT HEX(form_key) FROM console_keys WHERE id = 1";

static const char *const ROLE_NAMES[ROLE_COUNT] = {
    [ROLE_VIEWER] = "viewer", [ROLE_SUPPORT] = "support", [ROLE_OPERATOR] = "operator", [ROLE_MERCHANT] = "merchant"};

TEXT_DEFINE_PARSE(console_role_parse, enum console_role, ROLE_NAMES);

struct text console_role_name(enum console_role role) {
    return text_of(ROLE_NAMES[role]);
}

/* STATUS_FAULT: a role that this program does not know, or one that does not fit merchant_id. */
static enum status get_user(struct sql *sql, struct arena *arena, struct console_user *out) {
    out->id = sql_get_number(sql);
    out->name = sql_get_text(sql, arena);
    bool known = console_role_parse(sql_get_text(sql, arena), &out->role);
    out->merchant_id = sql_get_number(sql);
    out->merchant_name = sql_get_text(sql, arena);
    out->enabled = sql_get_number(sql) != 0;
    out->changed_by = sql_get_text(sql, arena);
    out->created_at = sql_get_instant(sql);
    out->changed_at = sql_get_instant(sql);
    bool fits = known && (out->role == ROLE_MERCHANT) == (out->merchant_id != 0);
    return fits ? STATUS_OK : STATUS_FAULT;
}

enum status console_users_find(struct connection *connection, struct text name, struct arena *arena,
                               struct console_user *out) {
    struct sql *sql = sql_begin(connection, SQL_console_user_find);
    sql_text(sql, name);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        status = get_user(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status console_users_list(struct connection *connection, struct arena *arena,
                               void (*each)(void *context, const struct console_user *user), void *context) {
    struct sql *sql = sql_begin(connection, SQL_console_user_list);
    enum status status = sql_first(sql);
    while (status == STATUS_OK) {
        struct console_user user;
        status = get_user(sql, arena, &user);
        if (status == STATUS_OK) {
            each(context, &user);
            status = sql_next(sql);
        }
    }
    return sql_end_list(sql, status);
}

enum status console_users_add(struct connection *connection, const struct console_user_change *user) {
    struct sql *sql = sql_begin(connection, SQL_console_user_insert);
    sql_text(sql, user->name);
    sql_text(sql, console_role_name(user->role));
    sql_number_or_null(sql, user->merchant_id);
    sql_text(sql, user->actor);
    return sql_run_and_end(sql);
}

enum status console_users_set(struct connection *connection, const struct console_user_change *user) {
    struct sql *sql = sql_begin(connection, SQL_console_user_set);
    sql_text(sql, console_role_name(user->role));
    sql_number_or_null(sql, user->merchant_id);
    sql_text(sql, user->actor);
    sql_text(sql, user->name);
    sql_text(sql, console_role_name(user->role));
    sql_number(sql, user->merchant_id);
    return guarded_run(sql);
}

enum status console_users_set_enabled(struct connection *connection, struct text name, bool enabled,
                                      struct text actor) {
    struct sql *sql = sql_begin(connection, SQL_console_user_set_enabled);
    sql_number(sql, enabled);
    sql_text(sql, actor);
    sql_text(sql, name);
    sql_number(sql, enabled);
    return guarded_run(sql);
}

enum status console_key_read(struct connection *connection, struct arena *arena, struct text *out) {
    return rows_one_text(sql_begin(connection, SQL_console_key_read), arena, out);
}
