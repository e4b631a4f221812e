/* Whether hosts agree on when settlements are closed, for `status`. */
#ifndef RECAUDO_CTL_STATUS_SETTLEMENT_STATUS_H
#define RECAUDO_CTL_STATUS_SETTLEMENT_STATUS_H

#include "ctl/core/command.h"

/* Adds a problem where dispatchers have closed the last settlements for days of different zones. */
enum status settlement_zones_judge(const struct context *context, struct connection *connection,
                                   struct record_list *problems);

#endif
