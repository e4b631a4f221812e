/* Checks whether the database accepts writes: with a full disk it may still answer reads. */
#ifndef RECAUDO_API_MONITORING_WRITES_CHECK_H
#define RECAUDO_API_MONITORING_WRITES_CHECK_H

#include "store/operation/health.h"

/* Runs health_try_write and logs a failure with its remedy. The connection may be lost. */
enum database_writes writes_check(struct connection *connection);

#endif
