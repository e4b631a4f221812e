/* The options --limit, --since and --until of list commands, and their output. */
#ifndef RECAUDO_CTL_CORE_LIST_OPTIONS_H
#define RECAUDO_CTL_CORE_LIST_OPTIONS_H

#include "ctl/core/command.h"
#include "ctl/core/record.h"

#define LIMIT_OPTION {.name = "limit", .value = "N", .help = "at most so many (100)"}

#define SINCE_OPTION                                                                                                   \
    {.name = "since",                                                                                                  \
     .value = "UNIX_OR_ISO",                                                                                           \
     .help = "from this instant (UTC) on: 1795000000, 2026-11-21 or 2026-11-21T09:30:00Z"}

#define UNTIL_OPTION                                                                                                   \
    {.name = "until", .value = "UNIX_OR_ISO", .help = "before this instant (UTC), written in the same way"}

/* Returns how many rows to read: --limit (1 to 1000000, by default 100) and one more, which shows whether there are
 * more. */
enum outcome list_options_limit(const struct context *context, uint64_t *out);

/* Reads the instant of --since; 0 if not given. */
enum outcome list_options_since(const struct context *context, instant *out);

/* Reads the instants of --since and --until; 0 if not given. Refuses an --until of 0, before which there is nothing. */
enum outcome list_options_period(const struct context *context, instant *since, instant *until);

/* Prints a list that was read with the `limit` of list_options_limit. Removes the extra row, if it was read, and says
 * on standard error that there are more. */
void list_options_print(const struct context *context, struct record_list *list, uint64_t limit);

#endif
