/*
 * A command of recaudoctl: its name, arguments, needs, and the function that runs it. Each group of commands is a const
 * table in a file of its own; commands.c lists the groups.
 */
#ifndef RECAUDO_CTL_CORE_COMMAND_H
#define RECAUDO_CTL_CORE_COMMAND_H

#include "auth/vault.h"
#include "ctl/core/arguments.h"
#include "ctl/core/record.h"
#include "store/db/connection.h"

/* The exit status. */
enum MUST_USE outcome { OUTCOME_DONE = 0, OUTCOME_REFUSED = 1, OUTCOME_MISUSED = 2, OUTCOME_AWAY = 3 };

/* Any number of words up to WORDS_MAX; the command checks them. */
enum { ANY_WORDS = 1000 };

/* TELLS_STATE: the result has a `state`, which is unknown if the command fails. TAKES_LONG: one of its statements
 * writes or reads very many rows, and may take longer than the usual time-out. RUN_BY_ROOT: it reads or writes
 * files of root's, and logs in as the owner where the operator cannot. (Where accounts are tied to system users, the
 * database takes root for the owner alone.) */
enum needs {
    NEEDS_CONFIG = 1,
    NEEDS_DATABASE = 2,
    NEEDS_KEY = 4,
    TELLS_STATE = 8,
    TAKES_LONG = 16,
    RUN_BY_ROOT = 32,
};

struct context;

struct command {
    const char *verb;  /* NULL ends the table; "" in a group that is one command */
    const char *words; /* the positional arguments, "NETWORK TRANSACTION" */
    const char *purpose;
    const char *details; /* more lines of help; may be NULL */
    const struct option_spec *options;
    size_t word_count; /* or ANY_WORDS */
    unsigned needs;    /* of enum needs; each needs the configuration too; 0: none, or the command reads it */
    enum outcome (*run)(struct context *context);
};

struct command_group {
    const char *name;
    const char *purpose;
    const struct command *commands;
};

/* What a running command works with. Members outside the command's `needs` are not set. */
struct context {
    const struct command_group *group;
    const struct command *command;
    struct arguments arguments;
    bool json;
    const char *config_path;
    struct arena *arena;
    struct config config;
    struct connection *connection; /* as the operator, or the owner (RUN_BY_ROOT); the main program closes it */
    struct vault *vault;
    struct text actor;
};

/* All groups; the last entry has no name. */
extern const struct command_group command_groups[];

extern const struct option_spec no_options[];

extern const struct command account_commands[], approval_commands[], audit_commands[], config_commands[],
    currency_commands[], db_commands[], event_commands[], integration_commands[], key_commands[], merchant_commands[],
    network_commands[], notification_commands[], order_commands[], purge_commands[], query_commands[],
    reference_commands[], report_commands[], settlement_commands[], status_commands[], transaction_commands[],
    user_commands[];

#endif
