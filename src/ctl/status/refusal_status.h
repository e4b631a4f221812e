/* Merchants that answer but acknowledge nothing, for `status`. */
#ifndef RECAUDO_CTL_STATUS_REFUSAL_STATUS_H
#define RECAUDO_CTL_STATUS_REFUSAL_STATUS_H

#include "ctl/core/command.h"

/* Adds a problem for each merchant that has acknowledged none of its notifications for 15 minutes. */
enum status refusal_look(struct context *context, struct connection *connection, struct record_list *problems);

#endif
