/* recaudoctl: administers and inspects the service. See recaudoctl(1). */
#include "base/process/core_dumps.h"
#include "base/process/standard_files.h"
#include "ctl/core/actor.h"
#include "ctl/core/failure.h"
#include "ctl/core/help.h"
#include "ctl/core/login.h"
#include "ctl/core/nearest.h"
#include "ctl/core/output.h"
#include "store/schema/schema.h"

#include <signal.h>

/* The global options, accepted anywhere on the command line. */
struct globals {
    bool json, help, version;
    const char *config; /* as given */
};

/* Removes the global options from the words. Returns false if --config has no file. */
static bool take_globals(int *count, char **words, struct globals *out) {
    int kept = 1;
    bool complete = true, options_ended = false;
    for (int i = 1; i < *count; i++) {
        options_ended = options_ended || strcmp(words[i], "--") == 0;
        if (options_ended) {
            words[kept++] = words[i];
        } else if (strcmp(words[i], "--json") == 0) {
            out->json = true;
        } else if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            out->help = true;
        } else if (strcmp(words[i], "--version") == 0) {
            out->version = true;
        } else if (strncmp(words[i], "--config=", 9) == 0) {
            out->config = words[i] + 9;
        } else if (strcmp(words[i], "--config") == 0) {
            complete = i + 1 < *count;
            out->config = complete ? words[++i] : "";
        } else {
            words[kept++] = words[i];
        }
    }
    *count = kept;
    return complete && (out->config == NULL || out->config[0] != '\0');
}

static const struct command_group *find_group(const char *name) {
    const struct command_group *group = command_groups;
    while (group->name != NULL && strcmp(group->name, name) != 0) {
        group++;
    }
    return group->name == NULL ? NULL : group;
}

static const struct command *find_command(const struct command_group *group, const char *verb) {
    const struct command *command = group->commands;
    while (command->verb != NULL && strcmp(command->verb, verb) != 0) {
        command++;
    }
    return command->verb == NULL ? NULL : command;
}

/* Says that the group does not exist, and suggests a similar name. */
static enum outcome refuse_group(const struct context *context, const char *name) {
    struct nearest nearest = nearest_to(text_of(name));
    if (name[0] == '-') {
        char complaint[COMPLAINT_SIZE];
        arguments_refuse_option(no_options, name, complaint);
        return misuse(context, "%s", complaint);
    }
    for (const struct command_group *group = command_groups; group->name != NULL; group++) {
        nearest_offer(&nearest, group->name);
    }
    return nearest.word == NULL
               ? misuse(context, "unknown command group '%.100s'", name)
               : misuse(context, "unknown command group '%.100s'; did you mean '%s'?", name, nearest.word);
}

static enum outcome refuse_verb(const struct context *context, const char *verb) {
    struct nearest nearest = nearest_to(text_of(verb));
    for (const struct command *command = context->group->commands; command->verb != NULL; command++) {
        nearest_offer(&nearest, command->verb);
    }
    const char *group = context->group->name;
    return nearest.word == NULL
               ? misuse(context, "%s: unknown command '%.100s'", group, verb)
               : misuse(context, "%s: unknown command '%.100s'; did you mean '%s'?", group, verb, nearest.word);
}

/* Whether the group's name is itself the command. */
static bool is_one_command(const struct command_group *group) {
    return group->commands[0].verb[0] == '\0';
}

/* Finds group and command. OUTCOME_DONE with command NULL: help was requested and shown. */
static enum outcome choose_command(struct context *context, int count, char **words, const struct globals *globals) {
    if (count > 1 && (context->group = find_group(words[1])) == NULL) {
        return refuse_group(context, words[1]);
    }
    if (count > 1 && is_one_command(context->group)) {
        context->command = context->group->commands;
    } else if (count > 2 && (context->command = find_command(context->group, words[2])) == NULL) {
        return refuse_verb(context, words[2]);
    }
    if (globals->help) {
        help_show(stdout, context->group, context->command);
        context->command = NULL;
        return OUTCOME_DONE;
    }
    return context->command != NULL ? OUTCOME_DONE : misuse(context, "a %s is missing", count > 1 ? "verb" : "group");
}

/* Returns the names of the command's words after the first `given`. */
static struct text words_missing(const struct command *command, size_t given) {
    struct text names = text_of(command->words);
    while (given-- > 0) {
        text_next_word(&names);
    }
    return text_trim(names);
}

static enum outcome read_arguments(struct context *context, int count, char **words) {
    char complaint[COMPLAINT_SIZE];
    const struct command *command = context->command;
    int before = is_one_command(context->group) ? 2 : 3;
    if (!arguments_parse(&context->arguments, command->options, words + before, (size_t)(count - before), complaint)) {
        return misuse(context, "%s", complaint);
    }
    size_t wanted = command->word_count == ANY_WORDS ? context->arguments.word_count : command->word_count;
    if (context->arguments.word_count < wanted) {
        struct text missing = words_missing(command, context->arguments.word_count);
        return misuse(context, "%.*s is missing", TEXT_ARGS(missing));
    }
    if (context->arguments.word_count > wanted) {
        return misuse(context, "unexpected argument '%.100s'", context->arguments.words[wanted].at);
    }
    return arguments_complete(&context->arguments, complaint) ? OUTCOME_DONE : misuse(context, "%s", complaint);
}

static enum outcome read_config(struct context *context) {
    char error[CONFIG_ERROR_SIZE];
    bool read = config_read(context->config_path, &context->config, error);
    return read ? OUTCOME_DONE : refuse(context, "%s", error);
}

static enum outcome connect_to_database(struct context *context) {
    const struct account_config *account = &context->config.database.operator;
    if ((context->command->needs & RUN_BY_ROOT) != 0 && !login_is_possible(&context->config, account)) {
        account = &context->config.database.owner;
    }
    const struct connection_options options = {.config = &context->config, .account = account};
    if ((context->command->needs & TAKES_LONG) != 0 && context->config.database.read_timeout < MINUTE) {
        context->config.database.read_timeout = MINUTE;
    }
    enum status status = schema_connect(&options, &context->connection);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "connect");
}

/* Opens what the command needs, and runs it. */
static enum outcome run_command(struct context *context) {
    char error[VAULT_ERROR_SIZE];
    unsigned needs = context->command->needs;
    enum outcome outcome = needs == 0 ? OUTCOME_DONE : read_config(context);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    if ((needs & NEEDS_KEY) != 0 && (context->vault = vault_open(context->config.security.key_file, error)) == NULL) {
        outcome = refuse(context, "%s", error);
    }
    if (outcome == OUTCOME_DONE && (needs & NEEDS_DATABASE) != 0) {
        outcome = connect_to_database(context);
    }
    if (outcome == OUTCOME_DONE) {
        context->actor = actor_find(context->arena);
        outcome = context->command->run(context);
    }
    connection_close(context->connection);
    vault_close(context->vault);
    if (needs != 0) {
        config_free(&context->config);
    }
    return outcome;
}

static enum outcome serve(struct context *context, int count, char **words) {
    struct globals globals = {.json = false};
    bool complete = take_globals(&count, words, &globals);
    context->json = globals.json;
    context->config_path = config_path(globals.config);
    if (!complete) {
        return misuse(context, "--config needs a value: --config FILE");
    }
    if (globals.version) {
        puts("recaudoctl " PACKAGE_VERSION);
        return OUTCOME_DONE;
    }
    enum outcome outcome = choose_command(context, count, words, &globals);
    if (outcome == OUTCOME_DONE && context->command != NULL) {
        outcome = read_arguments(context, count, words);
        return outcome == OUTCOME_DONE ? run_command(context) : outcome;
    }
    return outcome;
}

int main(int count, char **words) {
    struct context context = {.arena = arena_create()};
    standard_files_hold();
    core_dumps_off();
    output_prepare();
    log_set_level(LOG_WARNING);
    enum outcome outcome = serve(&context, count, words);
    arena_destroy(context.arena);
    if (!output_finish()) {
        if (outcome == OUTCOME_DONE && output_has_no_reader()) {
            signal(SIGPIPE, SIG_DFL); /* the database's client library ignores it */
            raise(SIGPIPE);
        }
        if (outcome == OUTCOME_DONE) {
            remark("standard output could not be written; the command itself succeeded");
            return OUTCOME_REFUSED;
        }
        remark("standard output could not be written");
    }
    return (int)outcome;
}
