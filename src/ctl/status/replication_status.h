/* The database's replicas, for `status`. */
#ifndef RECAUDO_CTL_STATUS_REPLICATION_STATUS_H
#define RECAUDO_CTL_STATUS_REPLICATION_STATUS_H

#include "base/config/config.h"
#include "ctl/core/record.h"
#include "store/db/connection.h"

/* Adds a problem if acknowledged commits are on one server only, or soon will be. */
enum status replicas_look(const struct config *config, struct connection *connection, struct record_list *problems);

#endif
