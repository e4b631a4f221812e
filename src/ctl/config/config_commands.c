#include "ctl/common/login.h"
#include "ctl/common/stored_secrets.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/network/money_limits.h"
#include "ctl/network/network_access.h"
#include "outbound/trust.h"
#include "store/schema/database_settings.h"
#include "store/schema/programs.h"
#include "store/schema/schema.h"

#include <errno.h>
#include <unistd.h>

/* Settings become one record per section. */
struct settings {
    struct record *all, *section;
    const char *name; /* of the section */
};

static void add_setting(void *context, const char *section, const char *key, const char *value) {
    struct settings *settings = context;
    if (settings->name == NULL || strcmp(settings->name, section) != 0) {
        settings->section = record_record(settings->all, section);
        settings->name = section;
    }
    record_text_or_nothing(settings->section, key, text_of(value));
}

static enum outcome config_show(struct context *context) {
    struct settings settings = {.all = record_create(context->arena)};
    config_each(&context->config, add_setting, &settings);
    output_record(settings.all, context->json);
    return OUTCOME_DONE;
}

/* What `config check` has found so far. */
struct findings {
    struct context *context;
    struct record_list *list;
    enum outcome outcome;
    const struct account_config *reader; /* the account that can read what the database keeps; NULL: none can */
};

#define SPECIFIED_WINDOW (30 * SECOND)

/* STRANGE: legal, and usually not meant. UNKNOWN: for others to try. BLIND: not checked, so nobody may take it for
 * well. */
enum verdict { RIGHT, WRONG, UNKNOWN, BLIND, STRANGE };

static void add_config_finding(struct findings *findings, const char *what, enum verdict verdict, const char *detail) {
    static const char *const WORDS[] = {[RIGHT] = "right",
                                        [WRONG] = "wrong",
                                        [UNKNOWN] = "not checked",
                                        [BLIND] = "not checked",
                                        [STRANGE] = "warning"};
    struct record *record = record_list_add(findings->list);
    record_text(record, "what", text_of(what));
    record_text(record, "finding", text_of(WORDS[verdict]));
    record_text(record, "detail", text_of(detail));
    if (verdict == STRANGE) {
        remark("warning: %s: %s", what, detail);
    }
    if ((verdict == WRONG || verdict == BLIND) && findings->outcome == OUTCOME_DONE) {
        findings->outcome = OUTCOME_REFUSED;
    }
}

/* The file says something that it may say, and hardly anybody wants. */
static void check_settings(struct findings *findings) {
    const struct config *config = &findings->context->config;
    duration window = config->worker.cancel_window;
    bool is_usual = window == SPECIFIED_WINDOW, is_verbose = config->log.level == LOG_DEBUG;
    if (!is_usual) {
        add_config_finding(findings, "worker cancel_window", STRANGE,
                           arena_print(findings->context->arena,
                                       "%g s: the specification says 30 s, and networks and merchants rely on it",
                                       (double)window / SECOND)
                               .at);
    }
    if (is_verbose) {
        add_config_finding(findings, "log level", STRANGE,
                           "debug: many lines, which cost time and room; put it back to info after the search");
    }
}

static void check_key(struct findings *findings) {
    char error[KEY_FILE_ERROR_SIZE];
    const char *key_file = findings->context->config.security.key_file;
    struct key_ring ring = {.count = 0};
    bool fine = key_file_read(key_file, &ring, error);
    add_config_finding(findings, "key file", fine ? RIGHT : WRONG, fine ? key_file : error);
    key_ring_wipe(&ring);
}

static void check_trust(struct findings *findings) {
    const char *ca_file = findings->context->config.security.ca_file, *file = trust_file(ca_file);
    char error[TRUST_ERROR_SIZE];
    bool fine = trust_check(ca_file, error);
    add_config_finding(findings, "trusted certificates", fine ? RIGHT : WRONG,
                       !fine          ? error
                       : file == NULL ? "those of the TLS library"
                                      : file);
}

/*
 * UNKNOWN: nothing is wrong yet. The service does without the owner's account, whose password may be kept elsewhere
 * between upgrades; and each program's file is for its own system user, so the operator cannot read the others'.
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

static bool has_its_password(struct findings *findings, const char *what, const struct account_config *account) {
    if (account->password_file == NULL || access(account->password_file, R_OK) == 0) {
        return true;
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

/* Whether it can be used. */
static bool check_account(struct findings *findings, const char *what, const struct account_config *account) {
    struct connection_options options = {.config = &findings->context->config, .account = account};
    struct connection *connection = NULL;
    if (!login_is_possible(account)) {
        add_config_finding(findings, what, UNKNOWN,
                           arena_print(findings->context->arena,
                                       "%s has no password file: only the system user %s can try", account->user,
                                       account->user)
                               .at);
        return false;
    }
    if (!has_its_password(findings, what, account)) {
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

/* A trigger or function that somebody dropped keeps a rule no more, and nothing else notices. Only the owner sees all.
 */
static void check_programs(struct findings *findings) {
    struct context *context = findings->context;
    struct connection_options options = {.config = &context->config, .account = &context->config.database.owner};
    struct connection *connection = NULL;
    struct text missing;
    if (schema_connect(&options, &connection) != STATUS_OK) {
        return; /* check_database says so */
    }
    enum status status = programs_missing(connection, context->arena, &missing);
    connection_close(connection);
    if (status != STATUS_OK) {
        add_config_finding(findings, "schema", BLIND, "it cannot be read; standard error says why");
    } else if (missing.size > 0) {
        add_config_finding(findings, "schema", WRONG,
                           arena_print(context->arena,
                                       "somebody has dropped %.*s: make it again as the owner, with its statement of "
                                       "sql/foundation.sql, then run recaudo-audit",
                                       TEXT_ARGS(missing))
                               .at);
    } else {
        add_config_finding(findings, "schema", RIGHT, "has every trigger, function and view");
    }
}

static void check_accounts(struct findings *findings) {
    const struct config *config = &findings->context->config;
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
    }
}

/* Whether something about a network is legal, and usually not meant. */
typedef bool (*network_doubt)(const struct network_description *network, const struct money_limit_book *limits);

static bool may_use_any_id(const struct network_description *network, const struct money_limit_book *limits) {
    (void)limits;
    return !network->access.signing.ids_are_distinct;
}

static bool has_no_money_limit(const struct network_description *network, const struct money_limit_book *limits) {
    return network->enabled && !money_limits_has(limits, network->name);
}

static bool calls_from_everywhere(const struct network_description *network, const struct money_limit_book *limits) {
    (void)limits;
    return network->enabled && network->access.allow.size == 0;
}

static bool has_no_rate(const struct network_description *network, const struct money_limit_book *limits) {
    (void)limits;
    return network->enabled && network->access.rate.per_second == 0;
}

static const struct {
    const char *what, *right, *doubt, *because;
    network_doubt is_doubtful;
} NETWORKS[] = {
    {"transaction ids", "distinct, of every network", "any", NETWORK_DISTINCT_BUYS, may_use_any_id},
    {"money limits", "every enabled network has one", "none",
     "a stolen secret may confirm any sum until somebody notices (recaudoctl network limit)", has_no_money_limit},
    {"networks' addresses", "every enabled network has a list", "everywhere",
     "a stolen secret can be used from anywhere (recaudoctl network set NAME --allow CIDR)", calls_from_everywhere},
    {"networks' rates", "every enabled network has one", "none",
     "one network can take the whole service (recaudoctl network set NAME --rate N/s)", has_no_rate},
};

/* The names of the doubtful networks, for each row of NETWORKS. */
struct doubts {
    struct arena *arena;
    const struct money_limit_book *limits;
    struct text names[COUNT_OF(NETWORKS)];
};

static void note_doubtful_network(void *context, const struct network_description *network) {
    struct doubts *doubts = context;
    for (size_t i = 0; i < COUNT_OF(NETWORKS); i++) {
        struct text *names = &doubts->names[i];
        if (NETWORKS[i].is_doubtful(network, doubts->limits)) {
            *names = arena_print(doubts->arena, "%.*s%s%.*s", TEXT_ARGS(*names), names->size > 0 ? ", " : "",
                                 TEXT_ARGS(network->name));
        }
    }
}

static void check_networks(struct findings *findings, struct connection *connection) {
    struct context *context = findings->context;
    struct money_limit_book *limits;
    struct doubts doubts = {.arena = context->arena};
    enum status status = money_limits_read(context, connection, &limits);
    if (status == STATUS_OK) {
        doubts.limits = limits;
        status = networks_list(connection, context->arena, note_doubtful_network, &doubts);
    }
    if (status != STATUS_OK) {
        add_config_finding(findings, "networks", BLIND, "they cannot be read; standard error says why");
        return;
    }
    for (size_t i = 0; i < COUNT_OF(NETWORKS); i++) {
        bool doubtful = doubts.names[i].size > 0;
        const char *detail = NETWORKS[i].right;
        if (doubtful) {
            detail = arena_print(context->arena, "%s: %.*s; %s", NETWORKS[i].doubt, TEXT_ARGS(doubts.names[i]),
                                 NETWORKS[i].because)
                         .at;
        }
        add_config_finding(findings, NETWORKS[i].what, doubtful ? STRANGE : RIGHT, detail);
    }
}

static void check_database_settings(struct findings *findings, struct connection *connection) {
    struct context *context = findings->context;
    struct database_settings settings;
    if (database_settings_read(connection, context->arena, &settings) != STATUS_OK) {
        add_config_finding(findings, "cancellation window", BLIND,
                           "`settings` cannot be read; standard error says why");
        return;
    }
    struct text other = database_settings_other_window(&settings, context->config.worker.cancel_window, context->arena);
    bool same = other.size == 0, misdate = database_settings_lets_sessions_misdate(&settings);
    add_config_finding(findings, "cancellation window", same ? RIGHT : WRONG, same ? "as in the database" : other.at);
    add_config_finding(
        findings, "secure_timestamp", misdate ? STRANGE : RIGHT,
        misdate ? "NO: an account that was taken over can misdate its entries in the log; start the database "
                  "with secure_timestamp = SUPER"
                : arena_print(context->arena, "%.*s", TEXT_ARGS(settings.secure_timestamp)).at);
}

/* With a key file that cannot be read, the finding about it says all. */
static void check_secrets(struct findings *findings, struct connection *connection) {
    struct context *context = findings->context;
    const char *key_file = context->config.security.key_file;
    char error[VAULT_ERROR_SIZE];
    struct stored_secrets secrets;
    struct vault *vault = vault_open(key_file, error);
    if (vault == NULL) {
        return;
    }
    if (stored_secrets_try(connection, vault, context->arena, &secrets) == STATUS_OK) {
        struct text problem = stored_secrets_problem(&secrets, key_file, context->arena);
        add_config_finding(findings, "stored secrets", problem.size > 0 ? WRONG : RIGHT,
                           problem.size > 0 ? problem.at
                                            : arena_print(context->arena, "all %llu open with the key file",
                                                          (unsigned long long)secrets.stored)
                                                  .at);
    } else {
        add_config_finding(findings, "stored secrets", BLIND, "they cannot be read; standard error says why");
    }
    vault_close(vault);
}

static void say_what_nobody_read(struct findings *findings) {
    const struct account_config *operator= & findings->context->config.database.operator;
    const char *detail = "the database cannot be reached";
    if (findings->outcome != OUTCOME_AWAY) {
        detail = arena_print(findings->context->arena,
                             login_is_possible(operator) ? "mend the login of %s (above), and run it again"
                                                         : "run it as %s: sudo -u %s recaudoctl config check",
                             operator->user, operator->user)
                     .at;
    }
    add_config_finding(findings, "stored secrets, settings and networks", BLIND, detail);
}

/* What the database keeps. Root, who cannot be the operator, reads it as the owner. */
static void check_database(struct findings *findings) {
    struct context *context = findings->context;
    struct connection_options options = {.config = &context->config, .account = findings->reader};
    struct connection *connection = NULL;
    if (findings->reader == NULL) {
        say_what_nobody_read(findings);
        return;
    }
    if (schema_connect(&options, &connection) != STATUS_OK) {
        add_config_finding(findings, "database", BLIND, "it cannot be read; standard error says why");
        return;
    }
    check_secrets(findings, connection);
    check_database_settings(findings, connection);
    check_networks(findings, connection);
    connection_close(connection);
}

static enum outcome config_check(struct context *context) {
    struct findings findings = {.context = context, .list = record_list_create(context->arena)};
    char error[CONFIG_ERROR_SIZE];
    bool read = config_read(context->config_path, &context->config, error);
    add_config_finding(&findings, "configuration file", read ? RIGHT : WRONG, read ? context->config_path : error);
    if (read) {
        if (context->config.removed != NULL) {
            add_config_finding(&findings, "removed setting", STRANGE, context->config.removed);
        }
        check_settings(&findings);
        check_key(&findings);
        check_trust(&findings);
        check_accounts(&findings);
        check_database(&findings);
        config_free(&context->config);
    }
    output_list(findings.list, context->json);
    return findings.outcome;
}

const struct command config_commands[] = {
    {"check", "", "check the file and everything it refers to; exit status 1 if something is wrong",
     "Reads the configuration, the key file and the file of certificates that merchants' are verified against; logs\n"
     "in to the database with each account, and tries every stored secret with the key. Compares [worker]\n"
     "cancel_window with the one that the database goes by (db migrate writes it).\n"
     "Wrong (exit status 1) is also that there is no certificate to trust, so that https to merchants would fail.\n"
     "Warns, with a line on standard error and without another exit status, of what is legal and strange: another\n"
     "cancel_window than 30 s, log level debug, a setting that is gone, sessions that may set the timestamp; networks\n"
     "that may use any transaction id, call from everywhere, or have no rate or no limit of money.\n"
     "Reads what the database keeps as [database] operator_user, or else as owner_user: run it as root, or as the\n"
     "operator. An account of another system user, and an owner whose password file is kept elsewhere, is not\n"
     "checked, which changes no exit status; secrets, settings and networks that are not checked do.\n"
     "Exit status: 0 nothing is wrong, whatever was warned of; 1 something is, or the database's content could not be\n"
     "checked; 3 the database cannot be reached.",
     no_options, 0, 0, config_check},
    {"show", "", "the settings in force, with the defaults", NULL, no_options, 0, NEEDS_CONFIG, config_show},
    {.verb = NULL},
};
