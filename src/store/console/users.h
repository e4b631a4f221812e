/* People who may use the console, and what each may do. Their names are those that the web server authenticates. */
#ifndef RECAUDO_STORE_CONSOLE_USERS_H
#define RECAUDO_STORE_CONSOLE_USERS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Values of console_users.role, in ascending order of staff's rights; a merchant's user is separate. */
enum console_role { ROLE_VIEWER, ROLE_SUPPORT, ROLE_OPERATOR, ROLE_MERCHANT, ROLE_COUNT };

enum { CONSOLE_USER_CHARACTERS = 64 };

/* Returns "viewer", "support", "operator" or "merchant". */
struct text console_role_name(enum console_role role);

MUST_USE bool console_role_parse(struct text name, enum console_role *out);

struct console_user {
    uint64_t id;
    struct text name;
    enum console_role role;
    uint64_t merchant_id;      /* 0: staff, who see every merchant */
    struct text merchant_name; /* empty: staff */
    bool enabled;
    struct text changed_by;
    instant created_at, changed_at;
};

/* STATUS_NONE: no user has this name. */
enum status console_users_find(struct connection *connection, struct text name, struct arena *arena,
                               struct console_user *out);

/* Calls `each` for every user, by name. `each` must not use the connection. */
enum status console_users_list(struct connection *connection, struct arena *arena,
                               void (*each)(void *context, const struct console_user *user), void *context);

/* A user's name and role. `merchant_id`: for ROLE_MERCHANT; otherwise 0. console_users_add adds an enabled user;
 * STATUS_CLASH: the name is taken. */
struct console_user_change {
    struct text name;
    enum console_role role;
    uint64_t merchant_id;
    struct text actor;
};
enum status console_users_add(struct connection *connection, const struct console_user_change *user);

/* Gives a user another role. STATUS_CHANGED: no user has this name, or the user has this role already. */
enum status console_users_set(struct connection *connection, const struct console_user_change *user);

/* STATUS_CHANGED: no user has this name, or the user is in that state already. */
enum status console_users_set_enabled(struct connection *connection, struct text name, bool enabled, struct text actor);

/* Reads the key of the forms' tokens, in hex: random, and the same for all consoles of this database. */
enum status console_key_read(struct connection *connection, struct arena *arena, struct text *out);

#endif
