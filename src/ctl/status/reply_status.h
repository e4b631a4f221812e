/* Refusals to networks and merchants that somebody must act on, for `status`. */
#ifndef RECAUDO_CTL_STATUS_REPLY_STATUS_H
#define RECAUDO_CTL_STATUS_REPLY_STATUS_H

#include "ctl/core/record.h"
#include "store/db/connection.h"

/* Adds a problem for each such refusal that was sent recently, and for each network that is refused altogether, with
 * the command that shows its cause. */
enum status replies_look(struct connection *connection, struct arena *arena, struct record_list *problems);

#endif
