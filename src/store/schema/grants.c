#include "store/schema/grants.h"

#include "store/db/rows.h"
#include "store/schema/embedded.h"

/*
 * The server itself interprets grants.sql: it is also applied to models of the accounts, which are locked and belong to
 * an impossible host. A right that an account has and its model does not is revoked.
 */
#define MODEL_HOST "recaudo-grants.invalid"

/* Applies `form` to each account's name, with `between` between them. */
#define EACH_ACCOUNT(form, between)                                                                                    \
    form("recaudo_worker") between form("recaudo_dispatcher") between form("recaudo_deliverer")                        \
        between form("recaudo_operator") between form("recaudo_reader") between form("recaudo_console")

#define MODEL(account)            "'" account "'@'" MODEL_HOST "'"
#define EACH_MODEL(before, after) before " " EACH_ACCOUNT(MODEL, ",") after

/* Of models that a lost server came back with, CREATE OR REPLACE USER alone fails (1133, MariaDB 10.11). */
static const struct text MAKE_MODELS =
    TEXT(EACH_MODEL("DROP USER IF EXISTS", "; ") EACH_MODEL("CREATE OR REPLACE USER", " ACCOUNT LOCK"));
static const struct text DROP_MODELS = TEXT(EACH_MODEL("DROP USER IF EXISTS", ""));

#define AS_USER(account) "'''" account "'''"

/* Needs `account`, as 'user'@'host'. */
#define OURS                                                                                                           \
    "SUBSTRING_INDEX(p.account, '@', 1) IN (" EACH_ACCOUNT(AS_USER, ",") ") AND p.account NOT LIKE '%@''" MODEL_HOST   \
                                                                         "'''"

/* The rights of all accounts: the privilege, its object (as REVOKE names it) and the account. */
#define PRIVILEGES                                                                                                     \
    "SELECT PRIVILEGE_TYPE AS privilege, '*.*' AS subject, GRANTEE AS account"                                         \
    "  FROM information_schema.USER_PRIVILEGES WHERE PRIVILEGE_TYPE <> 'USAGE'"                                        \
    " UNION ALL SELECT 'GRANT OPTION', '*.*', GRANTEE"                                                                 \
    "  FROM information_schema.USER_PRIVILEGES WHERE IS_GRANTABLE = 'YES'"                                             \
    " UNION ALL SELECT PRIVILEGE_TYPE, CONCAT('`', TABLE_SCHEMA, '`.*'), GRANTEE"                                      \
    "  FROM information_schema.SCHEMA_PRIVILEGES WHERE DATABASE() LIKE TABLE_SCHEMA AND PRIVILEGE_TYPE <> 'USAGE'"     \
    " UNION ALL SELECT 'GRANT OPTION', CONCAT('`', TABLE_SCHEMA, '`.*'), GRANTEE"                                      \
    "  FROM information_schema.SCHEMA_PRIVILEGES WHERE DATABASE() LIKE TABLE_SCHEMA AND IS_GRANTABLE = 'YES'"          \
    " UNION ALL SELECT PRIVILEGE_TYPE, CONCAT('`', TABLE_SCHEMA, '`.`', TABLE_NAME, '`'), GRANTEE"                     \
    "  FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE()"                                       \
    " UNION ALL SELECT 'GRANT OPTION', CONCAT('`', TABLE_SCHEMA, '`.`', TABLE_NAME, '`'), GRANTEE"                     \
    "  FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE() AND IS_GRANTABLE = 'YES'"              \
    " UNION ALL SELECT CONCAT(PRIVILEGE_TYPE, ' (`', COLUMN_NAME, '`)'),"                                              \
    "  CONCAT('`', TABLE_SCHEMA, '`.`', TABLE_NAME, '`'), GRANTEE"                                                     \
    "  FROM information_schema.COLUMN_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE()"                                      \
    " UNION ALL SELECT one.word, CONCAT(r.Routine_type, ' `', r.Db, '`.`', r.Routine_name, '`'),"                      \
    "  CONCAT('''', r.User, '''@''', r.Host, '''')"                                                                    \
    "  FROM mysql.procs_priv r JOIN (SELECT 'Execute' AS kind, 'EXECUTE' AS word UNION ALL SELECT 'Alter Routine',"    \
    "  'ALTER ROUTINE' UNION ALL SELECT 'Grant', 'GRANT OPTION') one ON FIND_IN_SET(one.kind, r.Proc_priv)"            \
    "  WHERE r.Db = DATABASE()"                                                                                        \
    " UNION ALL SELECT CONCAT('`', Role, '`'), '', CONCAT('''', User, '''@''', Host, '''') FROM mysql.roles_mapping"

const char sql_text_of_grants_surplus[] =
    "SELECT CONCAT('REVOKE ', p.privilege, IF(p.subject = '', '', ' ON '), p.subject, ' FROM ', p.account)"
    " FROM (" PRIVILEGES ") p LEFT JOIN (" PRIVILEGES ") model ON model.privilege = p.privilege"
    "  AND model.subject = p.subject"
    "  AND model.account = CONCAT(SUBSTRING_INDEX(p.account, '@', 1), '@''" MODEL_HOST "''')"
    " WHERE " OURS " AND model.account IS NULL ORDER BY p.account, p.subject, p.privilege";

const char sql_text_of_grants_without_password[] =
    "SELECT GROUP_CONCAT(CONCAT(User, '@', Host) ORDER BY User, Host SEPARATOR ', ') FROM mysql.user"
    " WHERE User LIKE 'recaudo\\_%' AND Host <> '" MODEL_HOST "' AND plugin IN ('', 'mysql_native_password')"
    "  AND authentication_string = ''";

#define AS_ROW(account) "SELECT '" account "' AS name"

const char sql_text_of_grants_without_account[] =
    "SELECT GROUP_CONCAT(CONCAT(a.name, '@', ?) ORDER BY a.name SEPARATOR ', ') FROM (" EACH_ACCOUNT(
        AS_ROW, " UNION ALL ") ") a WHERE NOT EXISTS (SELECT 1 FROM mysql.user u WHERE u.User = a.name AND u.Host = ?)";

/* Without this, a GRANT to an account that does not exist would create it without a password. */
static const char MAKE_NO_ACCOUNT[] =
    "SET @recaudo_mode = @@sql_mode, sql_mode = CONCAT(@@sql_mode, ',NO_AUTO_CREATE_USER');\n",
                  AS_BEFORE[] = "SET sql_mode = @recaudo_mode;\n";

/* Applies grants.sql to the accounts of this host. */
static enum status give_grants(struct connection *connection, struct text account_host, struct arena *arena) {
    const struct text written = TEXT("@'localhost'");
    struct text rest = embedded_grants, all = text_of(MAKE_NO_ACCOUNT);
    const char *found;
    while ((found = memmem(rest.at, rest.size, written.at, written.size)) != NULL) {
        size_t before = (size_t)(found - rest.at);
        all = arena_print(arena, "%.*s%.*s@'%.*s'", TEXT_ARGS(all), (int)before, rest.at, TEXT_ARGS(account_host));
        rest = (struct text){found + written.size, rest.size - before - written.size};
    }
    all = arena_print(arena, "%.*s%.*s%s", TEXT_ARGS(all), TEXT_ARGS(rest), AS_BEFORE);
    enum status status = sql_script(connection, "grants.sql", all);
    if (status != STATUS_OK) {
        log_line(
            LOG_ERROR,
            "grants: if no row of the user table matches: an account of sql/accounts.sql does not exist at '%.*s', "
            "which [database] account_host names",
            TEXT_ARGS(account_host));
    }
    return status;
}

/* *revokes: a script with a statement a line. */
static enum status find_surplus(struct connection *connection, struct arena *arena, struct text *revokes) {
    struct sql *sql = sql_begin(connection, SQL_grants_surplus);
    enum status status = sql_first(sql);
    *revokes = (struct text){"", 0};
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct text revoke = sql_get_text(sql, arena);
        *revokes = arena_print(arena, "%.*s%.*s;\n", TEXT_ARGS(*revokes), TEXT_ARGS(revoke));
    }
    sql_end(sql);
    if (status != STATUS_NONE) {
        log_line(LOG_ERROR, "grants: the schema's owner must be able to read the schema mysql, to see who has which");
        return status;
    }
    return STATUS_OK;
}

/* Runs each statement, also after one that is refused. Returns the first refusal. */
static enum status revoke_each(struct connection *connection, struct text revokes) {
    enum status refusal = STATUS_OK;
    while (revokes.size > 0) {
        const char *end = memchr(revokes.at, '\n', revokes.size);
        size_t size = (size_t)(end - revokes.at) + 1;
        enum status status = sql_script(connection, "revoke", (struct text){revokes.at, size});
        refusal = refusal == STATUS_OK ? status : refusal;
        revokes = (struct text){revokes.at + size, revokes.size - size};
    }
    return refusal;
}

/*
 * The rights are given last, and also if a surplus one could not be revoked, because the programs need them. (Another
 * migration, through another server of a cluster, where the lock does not reach, may drop the models while this one
 * compares, so that every right seems to be surplus.)
 */
static enum status compare_grants(struct connection *connection, struct text account_host, struct arena *arena,
                                  struct text *revoked) {
    enum status status = give_grants(connection, TEXT(MODEL_HOST), arena);
    if (status == STATUS_OK) {
        status = find_surplus(connection, arena, revoked);
    }
    if (status != STATUS_OK) {
        return status;
    }
    status = revoke_each(connection, *revoked);
    enum status given = give_grants(connection, account_host, arena);
    return status == STATUS_OK ? given : status;
}

enum status grants_apply(struct connection *connection, struct text account_host, struct arena *arena,
                         struct text *revoked) {
    *revoked = (struct text){"", 0};
    enum status status = sql_script(connection, "models of the accounts", MAKE_MODELS);
    if (status == STATUS_OK) {
        status = compare_grants(connection, account_host, arena, revoked);
    }
    enum status dropped = sql_script(connection, "models of the accounts", DROP_MODELS);
    return status == STATUS_OK ? dropped : status;
}

/* At least as much as grants.sql gives. */
static const struct text GIVE_TO_MODEL =
    TEXT("GRANT SELECT, INSERT, UPDATE, DELETE, EXECUTE, SHOW VIEW ON * TO " MODEL("recaudo_worker"));

enum status grants_try(struct connection *connection, struct arena *arena) {
    struct text surplus;
    enum status status = sql_script(connection, "models of the accounts", MAKE_MODELS);
    if (status == STATUS_OK) {
        status = sql_script(connection, "grant to a model", GIVE_TO_MODEL);
        status = status == STATUS_OK ? find_surplus(connection, arena, &surplus) : status;
        enum status dropped = sql_script(connection, "models of the accounts", DROP_MODELS);
        status = status == STATUS_OK ? dropped : status;
    }
    return status;
}

enum status grants_without_password(struct connection *connection, struct arena *arena, struct text *accounts) {
    return rows_one_text(sql_begin(connection, SQL_grants_without_password), arena, accounts);
}

enum status grants_without_account(struct connection *connection, struct text account_host, struct arena *arena,
                                   struct text *accounts) {
    struct sql *sql = sql_begin(connection, SQL_grants_without_account);
    sql_text(sql, account_host);
    sql_text(sql, account_host);
    return rows_one_text(sql, arena, accounts);
}
