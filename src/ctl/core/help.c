#include "ctl/core/help.h"

enum { LINE_WIDTH = 100, PURPOSE_AT = 16, OPTION_AT = 34, PART_SIZE = 80 };

static const struct option_spec GLOBAL_OPTIONS[] = {
    {.name = "config",
     .value = "FILE",
     .help = "configuration file; default: $RECAUDO_CONFIG, else the installed default"},
    {.name = "json", .help = "print one JSON document"},
    {.name = "help", .help = "this help, for the program, a group or a command"},
    {.name = "version", .help = "the version"},
    {.name = NULL},
};

/* Writes a part of the usage line, on a new line if it does not fit. Returns the column. */
static size_t put_part(FILE *to, size_t column, const char *part) {
    if (column + 1 + strlen(part) > LINE_WIDTH) {
        fputs("\n        ", to);
        column = 8;
    }
    fprintf(to, " %s", part);
    return column + 1 + strlen(part);
}

/* False at the end of a group's table, and for a group that is one command. */
static bool has_verb(const struct command *command) {
    return command->verb != NULL && command->verb[0] != '\0';
}

static void print_usage(FILE *to, const struct command_group *group, const struct command *command) {
    char part[PART_SIZE];
    int begun = fprintf(to, "usage: recaudoctl %s%s%s", group->name, has_verb(command) ? " " : "", command->verb);
    size_t column = begun > 0 ? (size_t)begun : 0;
    if (command->words[0] != '\0') {
        column = put_part(to, column, command->words);
    }
    for (const struct option_spec *option = command->options; option->name != NULL; option++) {
        snprintf(part, sizeof part, option->required ? "--%s%s%s%s" : "[--%s%s%s]%s", option->name,
                 option->value == NULL ? "" : " ", option->value == NULL ? "" : option->value,
                 option->repeats ? "..." : "");
        column = put_part(to, column, part);
    }
    fputs("\n", to);
}

static void print_options(FILE *to, const struct option_spec *options) {
    char name[PART_SIZE];
    for (const struct option_spec *option = options; option->name != NULL; option++) {
        int size = snprintf(name, sizeof name, "  --%s%s%s", option->name, option->value == NULL ? "" : " ",
                            option->value == NULL ? "" : option->value);
        bool fits = size < OPTION_AT;
        fprintf(to, "%-*s%s%*s%s%s\n", OPTION_AT, name, fits ? "" : "\n", fits ? 0 : OPTION_AT, "", option->help,
                option->required ? " (required)" : "");
    }
}

static void show_command(FILE *to, const struct command_group *group, const struct command *command) {
    print_usage(to, group, command);
    fprintf(to, "\n%s\n", command->purpose);
    if (command->details != NULL) {
        fprintf(to, "\n%s\n", command->details);
    }
    fputs("\n", to);
    print_options(to, command->options);
    print_options(to, GLOBAL_OPTIONS);
}

static void show_group(FILE *to, const struct command_group *group) {
    fprintf(to, "usage: recaudoctl %s VERB ...\n\n%s: %s\n\n", group->name, group->name, group->purpose);
    for (const struct command *command = group->commands; command->verb != NULL; command++) {
        fprintf(to, "  %-*s%s\n", PURPOSE_AT, command->verb, command->purpose);
    }
    fprintf(to, "\nDetails: recaudoctl %s VERB --help\n", group->name);
}

static void show_program(FILE *to) {
    fputs("usage: recaudoctl [--config FILE] [--json] GROUP VERB ...\n\n"
          "Administers recaudo, the payment service for collection networks.\n\n",
          to);
    for (const struct command_group *group = command_groups; group->name != NULL; group++) {
        fprintf(to, "  %-*s%s", PURPOSE_AT, group->name, group->purpose);
        for (const struct command *command = group->commands; has_verb(command); command++) {
            fprintf(to, "%s %s", command == group->commands ? ":" : ",", command->verb);
        }
        fputs("\n", to);
    }
    fputs("\n", to);
    print_options(to, GLOBAL_OPTIONS);
    fputs("\nExit status: 0 done, 1 refused (the reason is on standard error), 2 wrong usage, 3 no database.\n"
          "A first setup: key create, db migrate, network add, merchant add, order add. More in recaudoctl(1).\n",
          to);
}

void help_show(FILE *to, const struct command_group *group, const struct command *command) {
    if (command != NULL) {
        show_command(to, group, command);
    } else if (group != NULL) {
        show_group(to, group);
    } else {
        show_program(to);
    }
}

void help_hint(FILE *to, const struct command_group *group, const struct command *command) {
    if (command != NULL) {
        print_usage(to, group, command);
        fprintf(to, "More: recaudoctl %s%s%s --help\n", group->name, has_verb(command) ? " " : "", command->verb);
    } else if (group != NULL) {
        show_group(to, group);
    } else {
        fputs("usage: recaudoctl [--config FILE] [--json] GROUP VERB ...\nMore: recaudoctl --help\n", to);
    }
}
