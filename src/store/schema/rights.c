#include "store/schema/rights.h"

#include "base/log.h"
#include "store/db/rows.h"
#include "store/schema/embedded.h"
#include "store/schema/schema_lines.h"

#include <string.h>

/* A GRANTEE is 'user'@'host'. */
#define OF_TABLES(condition)                                                                                           \
    "SELECT CONCAT(PRIVILEGE_TYPE, ' on ', TABLE_NAME, ' for ', SUBSTRING_INDEX(SUBSTRING(GRANTEE, 2), '''@', 1))"     \
    "  FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE()" condition                             \
    " UNION ALL SELECT CONCAT(PRIVILEGE_TYPE, ' (', COLUMN_NAME, ') on ', TABLE_NAME, ' for ',"                        \
    "  SUBSTRING_INDEX(SUBSTRING(GRANTEE, 2), '''@', 1))"                                                              \
    "  FROM information_schema.COLUMN_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE()" condition

#define OF_HOST " AND SUBSTRING_INDEX(GRANTEE, '@', -1) = QUOTE(?)"

const char sql_text_of_right_list[] = OF_TABLES(
    OF_HOST) " UNION ALL SELECT CONCAT(UPPER(Routine_type), ' ', Routine_name, ' for ', User) FROM mysql.procs_priv"
             "  WHERE Db = DATABASE() AND FIND_IN_SET('Execute', Proc_priv) AND Host = ?";

/* An account sees only the routines that it may call. */
const char sql_text_of_right_list_of_worker[] =
    OF_TABLES("") " UNION ALL SELECT CONCAT(ROUTINE_TYPE, ' ', ROUTINE_NAME, ' for recaudo_worker')"
                  "  FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE()";

/* Not root and others with rights on all schemas. The owner may log in from several hosts. */
const char sql_text_of_right_on_triggers[] =
    "SELECT COALESCE(GROUP_CONCAT(DISTINCT GRANTEE ORDER BY GRANTEE SEPARATOR ', '), '') FROM ("
    "SELECT GRANTEE FROM information_schema.SCHEMA_PRIVILEGES"
    " WHERE PRIVILEGE_TYPE = 'TRIGGER' AND DATABASE() LIKE TABLE_SCHEMA"
    " UNION ALL SELECT GRANTEE FROM information_schema.TABLE_PRIVILEGES"
    " WHERE PRIVILEGE_TYPE = 'TRIGGER' AND TABLE_SCHEMA = DATABASE()) AS having_it"
    " WHERE SUBSTRING_INDEX(GRANTEE, '@', 1) <> QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1))";

/* Of the workers' grants, requests need those before this line of grants.sql. */
static const struct text NOT_FOR_REQUESTS = TEXT("\n-- For /readyz and /metrics.\n");

/* Of missing rights so many are named, the others counted. Where no grants were given at all, hundreds are missing. */
enum { RIGHTS_NAMED_MAX = 8 };

/* The rights that accounts have, as lines, and those found missing. */
struct search {
    struct arena *arena;
    struct text there, missing;
    size_t count; /* of those missing */
};

static void note_missing(struct search *search, struct text right) {
    if (++search->count <= RIGHTS_NAMED_MAX) {
        list_add(&search->missing, right, search->arena);
    }
}

/* A right on a table includes each of its columns. */
static void look_for_column(struct search *search, struct text privilege, struct text column, struct text whose) {
    struct text all = arena_print(search->arena, "%.*s on %.*s", TEXT_ARGS(privilege), TEXT_ARGS(whose)),
                one = arena_print(search->arena, "%.*s (%.*s) on %.*s", TEXT_ARGS(privilege), TEXT_ARGS(column),
                                  TEXT_ARGS(whose));
    if (!lines_have(search->there, one, search->arena) && !lines_have(search->there, all, search->arena)) {
        note_missing(search, one);
    }
}

static void look_for(struct search *search, struct text right) {
    if (!lines_have(search->there, right, search->arena)) {
        note_missing(search, right);
    }
}

/* `privileges`: "SELECT, UPDATE (state, due_at)"; `whose`: "orders for recaudo_worker". */
static void look_for_each(struct search *search, struct text privileges, struct text whose) {
    while (privileges.size > 0) {
        struct text before = privileges, privilege = text_trim(cut_to(&privileges, TEXT(","))), columns = before;
        struct text name = text_trim(cut_to(&columns, TEXT("(")));
        if (name.size >= privilege.size) {
            look_for(search, arena_print(search->arena, "%.*s on %.*s", TEXT_ARGS(privilege), TEXT_ARGS(whose)));
            continue;
        }
        privileges = columns;
        columns = cut_to(&privileges, TEXT(")"));
        (void)cut_past(&privileges, TEXT(","));
        while (columns.size > 0) {
            look_for_column(search, name, text_trim(cut_to(&columns, TEXT(","))), whose);
        }
    }
}

/* "SELECT ON always TO 'recaudo_worker'@'localhost'", or "EXECUTE ON FUNCTION order_claim TO ...". */
static void look_for_grant(struct search *search, struct text grant) {
    struct text privileges = cut_to(&grant, TEXT(" ON ")), subject = cut_to(&grant, TEXT(" TO '")),
                account = cut_to(&grant, TEXT("'")),
                whose = arena_print(search->arena, "%.*s for %.*s", TEXT_ARGS(subject), TEXT_ARGS(account));
    if (text_equal(privileges, TEXT("EXECUTE"))) {
        look_for(search, whose);
    } else {
        look_for_each(search, privileges, whose);
    }
}

/* `have`: a statement that lists the existing rights, one a row. */
static enum status find_missing(struct sql *have, struct text grants, const char *account, struct arena *arena,
                                struct text *missing) {
    struct search search = {.arena = arena, .missing = {"", 0}};
    struct text rest = sql_bare(grants, arena), to = arena_print(arena, " TO '%s", account);
    enum status status = lines_read(have, arena, &search.there);
    while (status == STATUS_OK && cut_past(&rest, TEXT("GRANT "))) {
        struct text grant = cut_to(&rest, TEXT(";"));
        if (memmem(grant.at, grant.size, to.at, to.size) != NULL) {
            look_for_grant(&search, grant);
        }
    }
    *missing = search.count <= RIGHTS_NAMED_MAX ? search.missing
                                                : arena_print(arena, "%.*s, and %zu more", TEXT_ARGS(search.missing),
                                                              search.count - RIGHTS_NAMED_MAX);
    return status;
}

enum status rights_missing(struct connection *connection, struct text account_host, struct arena *arena,
                           struct text *missing) {
    struct sql *sql = sql_begin(connection, SQL_right_list);
    for (int i = 0; i < 3; i++) {
        sql_text(sql, account_host);
    }
    return find_missing(sql, embedded_grants, "", arena, missing);
}

enum status rights_on_triggers(struct connection *connection, struct arena *arena, struct text *accounts) {
    struct sql *sql = sql_begin(connection, SQL_right_on_triggers);
    return rows_one_text(sql, arena, accounts);
}

enum status rights_missing_for_requests(struct connection *connection, struct arena *arena, struct text *missing) {
    struct text rest = embedded_grants, grants = cut_to(&rest, NOT_FOR_REQUESTS);
    return find_missing(sql_begin(connection, SQL_right_list_of_worker), grants, "recaudo_worker", arena, missing);
}

void rights_tell_missing(struct text missing) {
    log_line(LOG_ERROR,
             "database: missing: %.*s; requests fail with 0009: recaudoctl config check, as root, says what mends it",
             TEXT_ARGS(missing));
}
