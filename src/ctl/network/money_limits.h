/*
 * Limits on what a network may confirm in a day and owe in total: the commands `network limit` and `network remit`, and
 * the limits in the output of `network show` and `status`.
 */
#ifndef RECAUDO_CTL_NETWORK_MONEY_LIMITS_H
#define RECAUDO_CTL_NETWORK_MONEY_LIMITS_H

#include "ctl/core/command.h"
#include "ctl/core/record.h"

extern const struct option_spec money_limit_options[], money_remit_options[];

/* Words: NAME CURRENCY. */
enum outcome money_limits_change(struct context *context);

/* Words: NAME CURRENCY AMOUNT. */
enum outcome money_limits_remittance(struct context *context);

/* Adds the list `money_limits` of one network, or of all (0). */
enum outcome money_limits_add(const struct context *context, struct connection *connection, uint64_t network_id,
                              struct record *record);

/* The limits of all networks, in the arena of the context. */
struct money_limit_book;

/* Returns STATUS_OK and sets *out, or the status of the failed read. */
enum status money_limits_read(const struct context *context, struct connection *connection,
                              struct money_limit_book **out);

/* Adds the list `money_limits` of one network. */
void money_limits_add_from(const struct money_limit_book *book, struct text network, struct record *record);

/* Whether the network has a limit in any currency. */
bool money_limits_has(const struct money_limit_book *book, struct text network);

/* Adds a problem for each limit of which MONEY_LIMIT_WARNS_AT percent or more are used. */
enum status money_limits_judge(struct connection *connection, struct arena *arena, struct record_list *problems);

#endif
