/* The workers of all hosts, for `status`. */
#ifndef RECAUDO_CTL_STATUS_WORKER_STATUS_H
#define RECAUDO_CTL_STATUS_WORKER_STATUS_H

#include "ctl/core/command.h"

/* Adds `workers`, the hosts on which some ran within a day, and a problem for each of these where none runs now; one
 * where none runs anywhere, however long ago that was. No problem where none ever ran. */
enum status workers_look(const struct context *context, struct connection *connection, struct record *record,
                         struct record_list *problems);

#endif
