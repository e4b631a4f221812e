/* Help at each level, generated from the tables of commands and options. */
#ifndef RECAUDO_CTL_CORE_HELP_H
#define RECAUDO_CTL_CORE_HELP_H

#include "ctl/core/command.h"

/* Shows the full help of the command, the group (command NULL) or the program (both NULL). */
void help_show(FILE *to, const struct command_group *group, const struct command *command);

/* Shows the usage line and how to get the full help. */
void help_hint(FILE *to, const struct command_group *group, const struct command *command);

#endif
