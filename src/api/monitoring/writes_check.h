/* Whether the database takes writes: while its disk is full it may answer everything that is only read. */
#ifndef RECAUDO_API_MONITORING_WRITES_CHECK_H
#define RECAUDO_API_MONITORING_WRITES_CHECK_H

#include "store/db/connection.h"

/* Commits a row that nobody waits for. STATUS_FAULT: it cannot be tried, because a right or the function is missing.
 * Any status but STATUS_OK: logged why, with the remedy; the connection may be lost. */
enum status writes_check(struct connection *connection);

#endif
