/*
 * The integrations, remembered for seconds, all of them together: most references fit none, and that must not cost a
 * round trip.
 */
#ifndef RECAUDO_API_EXTERNAL_INTEGRATIONS_H
#define RECAUDO_API_EXTERNAL_INTEGRATIONS_H

#include "base/arena.h"
#include "domain/external/integration.h"
#include "store/db/connection.h"

struct integrations;

struct integrations *integrations_create(void);
void integrations_destroy(struct integrations *integrations);

/*
 * The integration that fits the reference; its texts are copied into the arena. STATUS_NONE: none. The connection is
 * used when those remembered are too old.
 */
enum status integrations_find(struct integrations *integrations, struct connection *connection, struct text reference,
                              uint64_t network_id, struct arena *arena, struct integration *out);

/* Does a merchant other than `merchant_id` (0: any) answer for this reference itself? */
enum status integrations_cover(struct integrations *integrations, struct connection *connection, struct text reference,
                               uint64_t merchant_id, bool *covered);

#endif
