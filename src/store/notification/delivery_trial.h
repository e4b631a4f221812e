/* Whether the database would take outcomes of deliveries, tried before any notification is sent. */
#ifndef RECAUDO_STORE_NOTIFICATION_DELIVERY_TRIAL_H
#define RECAUDO_STORE_NOTIFICATION_DELIVERY_TRIAL_H

#include "store/notification/deliveries.h"

struct delivery_trial {
    uint64_t dispatcher_id;
    unsigned char lease[LEASE_BYTES]; /* that no notification has */
    bool wholly;                      /* outcomes were refused lately */
};

/*
 * Records attempts of the newest notifications that nobody made, and takes them back. Wholly: OUTCOMES_AT_ONCE, and
 * with what each would change of its notification, so that the triggers write their events; the numbers of
 * these events are used up. Waits for nobody's lock. Any status but STATUS_OK: the database does not take them.
 */
enum status delivery_try(struct connection *connection, const struct delivery_trial *trial, struct arena *arena);

#endif
