#include "ctl/config/config_contents.h"

#include "ctl/common/stored_secrets.h"
#include "ctl/config/config_references.h"
#include "ctl/core/login.h"
#include "ctl/network/money_limits.h"
#include "ctl/network/network_access.h"
#include "store/operation/replication.h"
#include "store/party/currencies.h"
#include "store/schema/database_settings.h"
#include "store/schema/schema.h"

/* Whether a network has a setting that is legal but rarely intended. */
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

static void check_currencies(struct findings *findings, struct connection *connection) {
    struct context *context = findings->context;
    struct text unknown;
    if (currencies_unknown(connection, context->arena, &unknown) != STATUS_OK) {
        add_config_finding(findings, "currencies", BLIND, "they cannot be read; standard error says why");
    } else if (unknown.size > 0) {
        add_config_finding(findings, "currencies", STRANGE,
                           arena_print(context->arena,
                                       "%.*s: recaudo knows no such code of ISO 4217 and takes no orders in it",
                                       TEXT_ARGS(unknown))
                               .at);
    }
}

static void check_max_connections(struct findings *findings, const struct database_settings *settings) {
    const struct config *config = &findings->context->config;
    uint64_t processes = config->worker.processes > 0 ? config->worker.processes : 1;
    struct text few =
        database_settings_few_connections(settings, processes * config->worker.connections, findings->context->arena);
    if (few.size > 0) {
        add_config_finding(findings, "max_connections", STRANGE, few.at);
    }
}

static void check_select_limit(struct findings *findings, const struct database_settings *settings) {
    struct text refused = database_settings_refused_backups(settings, findings->context->arena);
    if (refused.size > 0) {
        add_config_finding(findings, "sql_select_limit", STRANGE, refused.at);
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
    struct text lost = database_settings_lost_commits(&settings, context->arena);
    bool same = other.size == 0, misdate = database_settings_lets_sessions_misdate(&settings);
    add_config_finding(findings, "cancellation window", same ? RIGHT : WRONG, same ? "as in the database" : other.at);
    struct text refused = database_settings_refused_writes(&settings);
    struct text waits = database_settings_needless_waits(&settings);
    if (refused.size > 0 || waits.size > 0) {
        add_config_finding(findings, "binlog_format", refused.size > 0 ? WRONG : STRANGE,
                           refused.size > 0 ? refused.at : waits.at);
    }
    check_max_connections(findings, &settings);
    check_select_limit(findings, &settings);
    struct text letters = database_settings_lost_letters(&settings, context->arena);
    if (letters.size > 0) {
        add_config_finding(findings, "character set", WRONG, letters.at);
    }
    add_config_finding(findings, "acknowledged payments", lost.size == 0 ? RIGHT : WRONG,
                       lost.size == 0 ? "on disk at each commit" : lost.at);
    add_config_finding(
        findings, "secure_timestamp", misdate ? STRANGE : RIGHT,
        misdate ? "NO: an account that was taken over can misdate its entries in the log; start the database "
                  "with secure_timestamp = SUPER; where MariaDB's file says so already, it was not read: chmod 0644"
                : arena_print(context->arena, "%.*s", TEXT_ARGS(settings.secure_timestamp)).at);
}

static void check_replicas(struct findings *findings, struct connection *connection) {
    enum replication replication;
    if (replication_look(connection, &findings->context->config, &replication) != STATUS_OK) {
        add_config_finding(findings, "replicas", BLIND,
                           "whether they acknowledge cannot be read; standard error says why");
    } else if (replication != REPLICATION_NONE) {
        struct text problem = replication_problem(replication);
        add_config_finding(findings, "replicas", problem.size > 0 ? STRANGE : RIGHT,
                           problem.size > 0 ? problem.at : "one acknowledges each payment");
    }
}

static void check_causal_wait(struct findings *findings, struct connection *connection) {
    static const char WAIT[] = "repl.causal_read_timeout";
    struct context *context = findings->context;
    duration wait;
    if (replication_causal_wait(connection, &context->config, &wait) != STATUS_OK) {
        add_config_finding(findings, WAIT, BLIND, "it cannot be read; standard error says why");
        return;
    }
    struct text problem = replication_short_wait(wait, &context->config, context->arena);
    if (problem.size > 0) {
        add_config_finding(findings, WAIT, STRANGE, problem.at);
    }
}

/* If the key file cannot be read, check_key's finding is enough. */
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
        add_config_finding(
            findings, "stored secrets", problem.size > 0 ? WRONG : RIGHT,
            problem.size > 0
                ? problem.at
                : arena_print(context->arena, "the key file decrypts all %llu", (unsigned long long)secrets.stored).at);
    } else {
        add_config_finding(findings, "stored secrets", BLIND, "they cannot be read; standard error says why");
    }
    vault_close(vault);
}

static void say_what_nobody_read(struct findings *findings) {
    const struct config *config = &findings->context->config;
    const struct account_config *account = &config->database.operator;
    bool needs_mending = config->database.socket == NULL || login_is_possible(config, account);
    const char *detail = "the database cannot be reached";
    if (findings->outcome != OUTCOME_AWAY) {
        detail = arena_print(findings->context->arena,
                             needs_mending ? "mend the login of %s (above), and run it again"
                                           : "run it as %s: sudo -u %s recaudoctl config check",
                             account->user, account->user)
                     .at;
    }
    add_config_finding(findings, "stored secrets, settings, networks and references", BLIND, detail);
}

void check_contents(struct findings *findings) {
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
    check_replicas(findings, connection);
    check_causal_wait(findings, connection);
    check_networks(findings, connection);
    check_currencies(findings, connection);
    check_references(findings, connection);
    connection_close(connection);
}
