/* People who may use the console, and what each may do. Their names are those by which the web server knows them. */
#ifndef RECAUDO_STORE_CONSOLE_USERS_H
#define RECAUDO_STORE_CONSOLE_USERS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Words of console_users.role, in the order of the rights of staff; a merchant's user stands apart. */
enum console_role { ROLE_VIEWER, ROLE_SUPPORT, ROLE_OPERATOR, ROLE_MERCHANT, ROLE_COUNT };

enum { CONSOLE_USER_CHARACTERS = 64 };

/* "viewer", "support", "operator", "merchant". */
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

/* STATUS_OK; STATUS_NONE: nobody has this name. */
enum status console_users_find(struct connection *connection, struct text name, struct arena *arena,
                               struct console_user *out);

/* Calls `each` for every user, by name. It must not use the connection. */
enum status console_users_list(struct connection *connection, struct arena *arena,
                               void (*each)(void *context, const struct console_user *user), void *context);

/* Adds an enabled user. `merchant` is the id for ROLE_MERCHANT, else 0. STATUS_CLASH: the name is taken. */
struct console_user_change {
    struct text name;
    enum console_role role;
    uint64_t merchant_id;
    struct text actor;
};
enum status console_users_add(struct connection *connection, const struct console_user_change *user);

/* Gives a user another role. STATUS_CHANGED: nobody has this name, or the user has this role already. */
enum status console_users_set(struct connection *connection, const struct console_user_change *user);

/* STATUS_CHANGED: nobody has this name, or it is so already. */
enum status console_users_set_enabled(struct connection *connection, struct text name, bool enabled, struct text actor);

/* The key of the forms' tokens, in hex: random, the same for all consoles of this database. */
enum status console_key_read(struct connection *connection, struct arena *arena, struct text *out);

#endif
