/* Merchants that answer and acknowledge nothing, for `status`. */
#ifndef RECAUDO_CTL_STATUS_REFUSAL_STATUS_H
#define RECAUDO_CTL_STATUS_REFUSAL_STATUS_H

#include "ctl/core/command.h"

/* Adds a problem for each that has acknowledged none of its notifications for longer than `age`. */
enum status refusal_look(struct context *context, struct connection *connection, duration age,
                         struct record_list *problems);

#endif
