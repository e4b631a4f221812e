/* Merchants whose endpoints fail, for `status`. */
#ifndef RECAUDO_CTL_STATUS_ENDPOINT_STATUS_H
#define RECAUDO_CTL_STATUS_ENDPOINT_STATUS_H

#include "ctl/core/command.h"

/*
 * Adds `resting_endpoints` to the record. Adds a problem for each merchant
 *   whose endpoint has failed for 15 minutes;
 *   that answers and has acknowledged none of its notifications for 15 minutes;
 *   whose last two external queries failed within a day: no whole answer in time, or one that is not valid.
 */
enum status endpoints_look(struct context *context, struct connection *connection, struct record *record,
                           struct record_list *problems);

#endif
