/* What a network may confirm and owe: `network limit`, `network remit`, and the limits as `network show` and `status`
 * tell them. */
#ifndef RECAUDO_CTL_NETWORK_MONEY_LIMITS_H
#define RECAUDO_CTL_NETWORK_MONEY_LIMITS_H

#include "ctl/core/command.h"
#include "ctl/core/record.h"

extern const struct option_spec money_limit_options[], money_remit_options[];

/* Words: NAME CURRENCY. */
enum outcome money_limits_change(struct context *context);

/* Words: NAME CURRENCY AMOUNT. */
enum outcome money_limits_pay_in(struct context *context);

/* Adds the list `money_limits` of a network, or of all (0). */
enum outcome money_limits_add(const struct context *context, struct connection *connection, uint64_t network_id,
                              struct record *record);

/* Adds a line to `problems` for each limit that is used up to MONEY_LIMIT_WARNS_AT percent or more. */
enum status money_limits_judge(struct connection *connection, struct arena *arena, struct record_list *problems);

#endif
