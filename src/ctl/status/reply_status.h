/* Replies to networks and merchants that need somebody, for `status`. */
#ifndef RECAUDO_CTL_STATUS_REPLY_STATUS_H
#define RECAUDO_CTL_STATUS_REPLY_STATUS_H

#include "ctl/core/record.h"
#include "store/db/connection.h"

/* Adds a problem where such a refusal was told lately, and for each network that is refused altogether, with the
 * command that shows why. */
enum status replies_look(struct connection *connection, struct arena *arena, struct record_list *problems);

#endif
