/* Whether the database accepts writes, for `status`. */
#ifndef RECAUDO_CTL_STATUS_WRITES_STATUS_H
#define RECAUDO_CTL_STATUS_WRITES_STATUS_H

#include "ctl/core/record.h"
#include "store/db/connection.h"

/* Adds a problem where it does not, or where that could not be tried. With a connection of its own, which may be lost
 * by the attempt. */
void writes_look(const struct connection_options *options, struct record_list *problems);

#endif
