/*
 * All integrations, cached together for seconds. Most references match none, and finding that out must not cost a round
 * trip.
 */
#ifndef RECAUDO_API_EXTERNAL_KNOWN_INTEGRATIONS_H
#define RECAUDO_API_EXTERNAL_KNOWN_INTEGRATIONS_H

#include "base/arena.h"
#include "domain/external/integration.h"
#include "store/db/connection.h"

struct known_integrations;

/* One for each process. Its tasks share it; other threads must not use it. known_integrations_destroy frees it. */
struct known_integrations *known_integrations_create(void);
void known_integrations_destroy(struct known_integrations *integrations);

/*
 * Finds the integration that matches the reference and copies its texts into the arena. STATUS_NONE: there is none.
 * Uses the connection only if the cache is stale; any other status is that of reading the list with it.
 */
enum status known_integrations_find(struct known_integrations *integrations, struct connection *connection,
                                    struct text reference, uint64_t network_id, struct arena *arena,
                                    struct integration *out);

/* The same without a connection. STATUS_CHANGED: the cache is stale, so nothing is known. */
enum status known_integrations_recall(const struct known_integrations *integrations, struct text reference,
                                      uint64_t network_id, struct arena *arena, struct integration *out);

/* Sets *covered to whether a merchant other than `merchant_id` (0: any merchant) answers for this reference. Uses the
 * connection, and fails, as known_integrations_find does; *covered then says nothing. */
enum status known_integrations_cover(struct known_integrations *integrations, struct connection *connection,
                                     struct text reference, uint64_t merchant_id, bool *covered);

#endif
