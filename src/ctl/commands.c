#include "ctl/core/command.h"

const struct option_spec no_options[] = {{.name = NULL}};

const struct command_group command_groups[] = {
    {"network", "collection networks, where customers pay", network_commands},
    {"merchant", "merchants, whose orders are paid", merchant_commands},
    {"integration", "which references merchants answer themselves, and where they are asked", integration_commands},
    {"query", "what merchants were asked, and what came of it", query_commands},
    {"currency", "currencies, and their digits in external queries", currency_commands},
    {"account", "customer accounts that can be topped up", account_commands},
    {"order", "orders to be paid", order_commands},
    {"reference", "whose references are, and prefixes that only one merchant may use", reference_commands},
    {"transaction", "payments as the networks registered them", transaction_commands},
    {"notification", "what merchants are told about their orders", notification_commands},
    {"status", "how the service is doing, for people and for monitoring", status_commands},
    {"settlement", "settlements: closing them, and which there are", settlement_commands},
    {"report", "a settlement, and comparing it with a network's own list", report_commands},
    {"purge", "take away what is old and done", purge_commands},
    {"key", "the key that encrypts stored secrets", key_commands},
    {"db", "the database schema", db_commands},
    {"config", "the configuration file", config_commands},
    {NULL, NULL, NULL},
};
