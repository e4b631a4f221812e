/* The workers of all hosts, for `status`. */
#ifndef RECAUDO_CTL_STATUS_WORKER_STATUS_H
#define RECAUDO_CTL_STATUS_WORKER_STATUS_H

#include "ctl/core/command.h"

/* Adds `workers`, the hosts where workers ran within the last day, and a problem for each of these where none runs now.
 * If none runs on any host, adds one problem, however long ago the last one ran. No problem if none ever ran. */
enum status workers_look(const struct context *context, struct connection *connection, struct record *record,
                         struct record_list *problems);

#endif
