/* Whether the database accepts writes, for `status`. */
#ifndef RECAUDO_CTL_STATUS_WRITES_STATUS_H
#define RECAUDO_CTL_STATUS_WRITES_STATUS_H

#include "ctl/core/record.h"
#include "store/db/connection.h"

/* Adds a problem if the database refuses writes or this could not be tested. Uses a connection of its own, because the
 * test may lose it. */
void writes_look(const struct connection_options *options, struct record_list *problems);

#endif
