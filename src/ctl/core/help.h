/* Help on every level, made from the tables of commands and options. */
#ifndef RECAUDO_CTL_CORE_HELP_H
#define RECAUDO_CTL_CORE_HELP_H

#include "ctl/core/command.h"

/* All that is known about the command, the group (command NULL) or the program (both NULL). */
void help_show(FILE *to, const struct command_group *group, const struct command *command);

/* The usage line, and where there is more. */
void help_hint(FILE *to, const struct command_group *group, const struct command *command);

#endif
