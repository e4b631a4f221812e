#include "ctl/core/command.h"

const struct option_spec no_options[] = {{.name = NULL}};

const struct command_group command_groups[] = {
    {"network", "collection networks, where customers pay", network_commands},
    {"merchant", "merchants, whose orders are paid", merchant_commands},
    {"integration", "references that merchants answer themselves, and their endpoints", integration_commands},
    {"query", "external queries to merchants, and their outcomes", query_commands},
    {"currency", "currencies, and their digits in external queries", currency_commands},
    {"account", "customer accounts that can be topped up", account_commands},
    {"order", "orders to be paid", order_commands},
    {"approval", "changes that need the approval of a second user", approval_commands},
    {"reference", "owners of references, and prefixes reserved for one merchant", reference_commands},
    {"transaction", "payments as the networks registered them", transaction_commands},
    {"notification", "notifications to merchants about their orders", notification_commands},
    {"event", "the event log: who changed what, and when", event_commands},
    {"status", "health of the service, for people and for monitoring", status_commands},
    {"user", "people who may use the console, and their roles", user_commands},
    {"settlement", "the open settlement and the closed ones", settlement_commands},
    {"report", "reports of settlements, and comparison with a network's own list", report_commands},
    {"purge", "delete old finished records", purge_commands},
    {"audit", "seals of the event log, and the check against them", audit_commands},
    {"key", "the key that encrypts stored secrets", key_commands},
    {"db", "the database schema", db_commands},
    {"config", "the configuration file", config_commands},
    {NULL, NULL, NULL},
};
