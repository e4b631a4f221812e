/* One connection of recaudo-direct: it does what a worker's thread does between parsing a request and writing the
 * reply. */
#ifndef RECAUDO_BENCH_DIRECT_SESSION_H
#define RECAUDO_BENCH_DIRECT_SESSION_H

#include "base/config/config.h"
#include "bench/common/plan.h"

struct session;

/* Connects; ends the program with the reason when it cannot, or when there is no such network (in the modes of
 * merchants: merchant). Keeps the pointers. */
struct session *session_open(const struct config *config, const char *network, enum operation operation);

/* Runs the statements of a lookup, registration, confirmation, merchant's request or point select. False when they did
 * not do what they should. */
bool session_perform(struct session *session, const struct subject *subject);

void session_close(struct session *session);

#endif
