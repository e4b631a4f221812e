/* What programs noted in the database, for `status`: the last backup, and what the programs of a host cannot do. */
#ifndef RECAUDO_CTL_STATUS_NOTED_STATUS_H
#define RECAUDO_CTL_STATUS_NOTED_STATUS_H

#include "ctl/core/command.h"
#include "ctl/core/record.h"

/* Adds a problem for an old backup, and one for each trouble of store/operation/troubles.h that persists. */
enum status noted_look(const struct context *context, struct connection *connection, struct record *record,
                       struct record_list *problems);

#endif
