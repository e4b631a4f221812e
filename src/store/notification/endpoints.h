/* The state of the merchants' notification endpoints: one that keeps failing rests, then is tried with single
 * notifications. */
#ifndef RECAUDO_STORE_NOTIFICATION_ENDPOINTS_H
#define RECAUDO_STORE_NOTIFICATION_ENDPOINTS_H

#include "base/clock.h"
#include "store/db/connection.h"

struct rest_rule {
    uint64_t after;   /* failed rounds in a row before the endpoint rests */
    duration first;   /* the first rest; each further failure doubles it */
    duration longest; /* the longest rest */
};

/* Records a failed round: attempts whose outcomes are recorded together. */
enum status endpoints_failed(struct connection *connection, uint64_t merchant_id, const struct rest_rule *rule);

/* Records an answered attempt: the endpoint is healthy. */
enum status endpoints_well(struct connection *connection, uint64_t merchant_id);

#endif
