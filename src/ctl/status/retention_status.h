/* The nightly purge of [retention], for `status`. */
#ifndef RECAUDO_CTL_STATUS_RETENTION_STATUS_H
#define RECAUDO_CTL_STATUS_RETENTION_STATUS_H

#include "ctl/core/command.h"

/* Adds a problem for each kind of record in [retention] whose last walk began more than two days ago. */
enum status retention_look(const struct context *context, struct connection *connection, struct record_list *problems);

#endif
