#include "ctl/config/config_accounts.h"

#include "ctl/config/config_readers.h"
#include "ctl/core/login.h"
#include "store/schema/grants.h"
#include "store/schema/id_counters.h"
#include "store/schema/programs.h"
#include "store/schema/rights.h"
#include "store/schema/schema.h"
#include "store/schema/tables.h"

#include <errno.h>
#include <unistd.h>

/*
 * UNKNOWN: not necessarily an error. The service does not use the owner's account, whose password may be kept elsewhere
 * between upgrades. Each other program's file is readable by its own system user only, so the operator cannot read it.
 */
static enum verdict judge_unread_password(const struct findings *findings, const struct account_config *account,
                                          int failure, const char **then) {
    const struct config *config = &findings->context->config;
    bool is_owner = account == &config->database.owner, is_operator = account == &config->database.operator;
    bool is_anothers = failure == EACCES && !is_operator;
    *then = is_owner      ? "; only db commands and upgrades need it"
            : is_anothers ? "; only root and the user that the file is for can try"
                          : "";
    return is_owner || is_anothers ? UNKNOWN : WRONG;
}

/* Root reads the file of every account, which proves nothing of the program that needs it. */
static bool is_for_its_user(struct findings *findings, const char *what, const struct account_config *account) {
    const char *const users[] = {account->user, NULL};
    bool is_owner = account == &findings->context->config.database.owner;
    const char *barred = is_owner ? NULL : find_barred_reader(findings, account->password_file, users, FOR_ITS_USER);
    if (barred != NULL) {
        add_config_finding(findings, what, WRONG, barred);
    }
    return barred == NULL;
}

static bool has_its_password(struct findings *findings, const char *what, const struct account_config *account) {
    if (account->password_file == NULL) {
        return true;
    }
    if (access(account->password_file, R_OK) == 0) {
        return is_for_its_user(findings, what, account);
    }
    int failure = errno;
    const char *then = NULL;
    enum verdict verdict = judge_unread_password(findings, account, failure, &then);
    add_config_finding(findings, what, verdict,
                       arena_print(findings->context->arena, "the password file of %s cannot be read: %s: %s%s",
                                   account->user, account->password_file, strerror(failure), then)
                           .at);
    return false;
}

/* Over TCP, an account without a password file cannot log in. Only the owner's account may lack one. */
static bool has_a_way_in(struct findings *findings, const char *what, const struct account_config *account) {
    const struct config *config = &findings->context->config;
    bool is_local = config->database.socket != NULL, is_owner = account == &config->database.owner;
    if (login_is_possible(config, account)) {
        return true;
    }
    add_config_finding(findings, what, is_local || is_owner ? UNKNOWN : WRONG,
                       arena_print(findings->context->arena,
                                   is_local   ? "%s has no password file: only the system user %s can try"
                                   : is_owner ? "%s has no password file: only db commands and upgrades need it"
                                              : "%s has no password file: without one, nobody logs in over TCP",
                                   account->user, account->user)
                           .at);
    return false;
}

/* Tries to log in with the account. */
static bool check_account(struct findings *findings, const char *what, const struct account_config *account) {
    struct connection_options options = {.config = &findings->context->config, .account = account};
    struct connection *connection = NULL;
    if (!has_a_way_in(findings, what, account) || !has_its_password(findings, what, account)) {
        return false;
    }
    enum status status = connection_open(&options, &connection);
    connection_close(connection);
    if (status == STATUS_OK) {
        add_config_finding(findings, what, RIGHT, account->user);
    } else if (status == STATUS_AWAY) {
        add_config_finding(findings, what, WRONG, "the database cannot be reached");
        findings->outcome = OUTCOME_AWAY;
    } else {
        add_config_finding(findings, what, WRONG, "the database refuses the login; standard error says why");
    }
    return status == STATUS_OK;
}

/* A function that was dropped and created again has no EXECUTE grants until `db migrate` has run. An account that does
 * not exist has no rights either, but needs to be created first. */
static void check_rights(struct findings *findings, struct connection *connection) {
    struct context *context = findings->context;
    struct text missing, absent, host = text_of(context->config.database.account_host);
    if (grants_without_account(connection, host, context->arena, &absent) == STATUS_OK && absent.size > 0) {
        add_config_finding(findings, "rights", WRONG,
                           arena_print(context->arena,
                                       "no such account: %.*s: sql/accounts.sql makes it, then recaudoctl db migrate "
                                       "gives it its rights",
                                       TEXT_ARGS(absent))
                               .at);
    } else if (rights_missing(connection, host, context->arena, &missing) != STATUS_OK) {
        add_config_finding(findings, "rights", BLIND, "they cannot be read; standard error says why");
    } else if (missing.size > 0) {
        add_config_finding(findings, "rights", WRONG,
                           arena_print(context->arena,
                                       "missing: %.*s; what needs them fails: recaudoctl db migrate gives them again",
                                       TEXT_ARGS(missing))
                               .at);
    } else {
        add_config_finding(findings, "rights", RIGHT, "the accounts have those of sql/grants.sql");
    }
}

static void check_rights_on_triggers(struct findings *findings, struct connection *connection) {
    struct arena *arena = findings->context->arena;
    struct text accounts;
    if (rights_on_triggers(connection, arena, &accounts) == STATUS_OK && accounts.size > 0) {
        add_config_finding(
            findings, "rights", STRANGE,
            arena_print(arena,
                        "%.*s: may drop the triggers, which keep the rules of money: REVOKE TRIGGER from "
                        "it; the backup needs it no more (install.md, \"Backup\")",
                        TEXT_ARGS(accounts))
                .at);
    }
}

/* Differences between the database and sql/. */
struct differences {
    struct text missing, changed;           /* triggers, functions and procedures */
    struct text parts_missing, parts_added; /* columns and other parts of tables */
};

static void tell_tables(struct findings *findings, struct text missing, struct text added) {
    struct arena *arena = findings->context->arena;
    static const char REMEDY[] = "as the owner, then run recaudo-audit, which finds what came in meanwhile";
    if (missing.size > 0) {
        add_config_finding(
            findings, "schema", WRONG,
            arena_print(
                arena,
                "dropped, or not as sql/foundation.sql makes it: %.*s: make it again with CREATE or ALTER TABLE %s",
                TEXT_ARGS(missing), REMEDY)
                .at);
    }
    if (added.size > 0) {
        add_config_finding(findings, "schema", WRONG,
                           arena_print(arena, "not of sql/foundation.sql: %.*s: it may refuse payments: drop it %s",
                                       TEXT_ARGS(added), REMEDY)
                               .at);
    }
}

/* Reports programs that were dropped, replaced or added. */
static void tell_programs(struct findings *findings, struct text missing, struct text changed) {
    struct arena *arena = findings->context->arena;
    static const char REMEDY[] =
        "with its statement of sql/foundation.sql, run recaudoctl db migrate, then recaudo-audit";
    if (missing.size > 0) {
        add_config_finding(
            findings, "schema", WRONG,
            arena_print(arena, "somebody has dropped %.*s: make it again as the owner, %s", TEXT_ARGS(missing), REMEDY)
                .at);
    }
    if (changed.size > 0) {
        add_config_finding(findings, "schema", WRONG,
                           arena_print(arena,
                                       "not as sql/foundation.sql makes it: %.*s: drop it if it is none of "
                                       "recaudo's, else make it again as the owner (triggers that run before "
                                       "another: in the order of that file), %s",
                                       TEXT_ARGS(changed), REMEDY)
                               .at);
    }
}

static void tell_differences(struct findings *findings, const struct differences *found) {
    tell_programs(findings, found->missing, found->changed);
    tell_tables(findings, found->parts_missing, found->parts_added);
    if (found->missing.size + found->changed.size + found->parts_missing.size + found->parts_added.size == 0) {
        add_config_finding(findings, "schema", RIGHT,
                           "has its tables, triggers, functions and views as sql/foundation.sql makes them");
    }
}

/* Reports accounts that need a password and have none: anyone who reaches the database can use them. */
static void check_passwords(struct findings *findings, struct connection *connection) {
    struct arena *arena = findings->context->arena;
    struct text accounts = {"", 0};
    if (grants_without_password(connection, arena, &accounts) != STATUS_OK) {
        add_config_finding(findings, "passwords", BLIND, "they cannot be read; standard error says why");
    } else if (accounts.size > 0) {
        add_config_finding(findings, "passwords", WRONG,
                           arena_print(arena,
                                       "anybody can log in as %.*s: drop what has no password, and make it again as "
                                       "sql/accounts.sql does",
                                       TEXT_ARGS(accounts))
                               .at);
    } else {
        add_config_finding(findings, "passwords", RIGHT, "every account has one, or is a system user's");
    }
}

/* Half of a column's numbers are more than a service gives: somebody has chosen a great one, and after the last one a
 * table takes no row. */
static void check_ids(struct findings *findings, struct connection *connection) {
    struct arena *arena = findings->context->arena;
    struct id_counter *counters;
    size_t count;
    struct text used = {"", 0};
    if (id_counters_list(connection, arena, &counters, &count) != STATUS_OK) {
        add_config_finding(findings, "ids", BLIND, "they cannot be read; standard error says why");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (counters[i].next > counters[i].greatest) {
            used = arena_print(arena, "%.*s%s%.*s", TEXT_ARGS(used), used.size > 0 ? ", " : "",
                               TEXT_ARGS(counters[i].table));
        }
    }
    add_config_finding(findings, "ids", used.size > 0 ? WRONG : RIGHT,
                       used.size > 0
                           ? arena_print(arena,
                                         "nearly used up: %.*s: as the owner delete the row whose id somebody chose, "
                                         "then ALTER TABLE ... AUTO_INCREMENT = 1, which goes on after the greatest id",
                                         TEXT_ARGS(used))
                                 .at
                           : "every table has ids left for new rows");
}

/* A dropped or replaced trigger or function no longer enforces its rule, and nothing else detects that. Only the owner
 * sees all of them. */
static void check_programs(struct findings *findings) {
    struct context *context = findings->context;
    struct connection_options options = {.config = &context->config, .account = &context->config.database.owner};
    struct connection *connection = NULL;
    struct differences found;
    if (schema_connect(&options, &connection) != STATUS_OK) {
        return; /* check_contents reports this */
    }
    enum status status = programs_missing(connection, context->arena, &found.missing);
    status = status == STATUS_OK ? programs_changed(connection, context->arena, &found.changed) : status;
    status = status == STATUS_OK ? tables_compare(connection, context->arena, &found.parts_missing, &found.parts_added)
                                 : status;
    if (status == STATUS_OK) {
        tell_differences(findings, &found);
    } else {
        add_config_finding(findings, "schema", BLIND, "it cannot be read; standard error says why");
    }
    /* If programs are missing, `db migrate` cannot grant the rights on them yet, and the view of the ids may be gone.
     */
    if (status != STATUS_OK || found.missing.size == 0) {
        check_rights(findings, connection);
        check_rights_on_triggers(findings, connection);
        check_ids(findings, connection);
    }
    check_passwords(findings, connection);
    connection_close(connection);
}

/* Each program has the rights of its own account. With another account, it could write too much, or nothing. */
static void check_names(struct findings *findings) {
    const struct config *config = &findings->context->config;
    struct arena *arena = findings->context->arena;
    const struct {
        const char *setting, *used, *own;
    } programs[] = {{"worker_user", config->database.worker.user, "recaudo_worker"},
                    {"dispatcher_user", config->database.dispatcher.user, "recaudo_dispatcher"},
                    {"deliverer_user", config->database.deliverer.user, "recaudo_deliverer"},
                    {"operator_user", config->database.operator.user, "recaudo_operator"},
                    {"console_user", config->database.console.user, "recaudo_console"}};
    struct text others = {"", 0};
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        if (strcmp(programs[i].used, programs[i].own) != 0) {
            others = arena_print(arena, "%.*s%s is %s, not %s; ", TEXT_ARGS(others), programs[i].setting,
                                 programs[i].used, programs[i].own);
        }
        if (strcmp(config->database.owner.user, programs[i].own) == 0) {
            others = arena_print(arena, "%.*sowner_user is %s, which is for %s; ", TEXT_ARGS(others), programs[i].own,
                                 programs[i].setting);
        }
    }
    add_config_finding(findings, "database accounts", others.size > 0 ? WRONG : RIGHT,
                       others.size > 0
                           ? arena_print(arena, "%.*ssql/grants.sql has the rights of each", TEXT_ARGS(others)).at
                           : "each program has its own");
}

static const char *say_why_unseen(const struct findings *findings) {
    if (findings->outcome == OUTCOME_AWAY) {
        return "the database cannot be reached";
    }
    return geteuid() == 0 ? "only the owner's account sees them, which could not log in (above); for a database on "
                            "other machines cluster.md, step 5, has a configuration that names it"
                          : "only the owner's account (above) sees them: run it as root";
}

void check_accounts(struct findings *findings) {
    const struct config *config = &findings->context->config;
    check_names(findings);
    bool owner_logs_in = check_account(findings, "database owner_user", &config->database.owner);
    (void)check_account(findings, "database worker_user", &config->database.worker);
    (void)check_account(findings, "database dispatcher_user", &config->database.dispatcher);
    (void)check_account(findings, "database deliverer_user", &config->database.deliverer);
    (void)check_account(findings, "database console_user", &config->database.console);
    if (check_account(findings, "database operator_user", &config->database.operator)) {
        findings->reader = &config->database.operator;
    } else if (owner_logs_in) {
        findings->reader = &config->database.owner;
    }
    if (owner_logs_in) {
        check_programs(findings);
    } else {
        add_config_finding(findings, "schema, rights and passwords", UNKNOWN, say_why_unseen(findings));
    }
}
