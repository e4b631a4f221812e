/* Whether the database takes writes: while its disk is full it may answer everything that is only read. */
#ifndef RECAUDO_API_MONITORING_WRITES_CHECK_H
#define RECAUDO_API_MONITORING_WRITES_CHECK_H

#include "store/operation/health.h"

/* health_try_write, whose answer is logged with the remedy unless all is well. The connection may be lost. */
enum database_writes writes_check(struct connection *connection);

#endif
