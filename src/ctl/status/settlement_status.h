/* Whether settlements are closed for the days that they should be, for `status`. */
#ifndef RECAUDO_CTL_STATUS_SETTLEMENT_STATUS_H
#define RECAUDO_CTL_STATUS_SETTLEMENT_STATUS_H

#include "ctl/core/command.h"
#include "store/operation/settlement_delay.h"

/* Adds a problem if dispatchers closed the last settlements for days of different zones. */
enum status settlement_zones_judge(const struct context *context, struct connection *connection,
                                   struct record_list *problems);

/* Adds a problem where the open settlement stays open because its day has another one. */
void settlement_day_judge(const struct context *context, const struct settlement_delay *delay,
                          struct record_list *problems);

#endif
