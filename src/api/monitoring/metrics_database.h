/* The part of /metrics that is read from the database (doc/monitoring.md). */
#ifndef RECAUDO_API_MONITORING_METRICS_DATABASE_H
#define RECAUDO_API_MONITORING_METRICS_DATABASE_H

#include "api/worker/call.h"
#include "wire/exposition.h"

/* Adds whether the database answers and, if it does, the metrics read from it. */
void metrics_database_add(struct call *call, struct exposition *out);

#endif
