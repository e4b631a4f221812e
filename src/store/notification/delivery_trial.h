/* Tries whether the database accepts delivery outcomes, before any notification is sent. */
#ifndef RECAUDO_STORE_NOTIFICATION_DELIVERY_TRIAL_H
#define RECAUDO_STORE_NOTIFICATION_DELIVERY_TRIAL_H

#include "store/notification/deliveries.h"

struct delivery_trial {
    uint64_t dispatcher_id;
    unsigned char lease[LEASE_BYTES]; /* one that no notification has */
    bool wholly;                      /* outcomes were refused recently */
};

/*
 * Inserts made-up attempts at the newest notifications and rolls them back: one, or OUTCOMES_AT_ONCE if `wholly`. Then
 * each notification is updated too, so that the triggers write events, whose ids are used up. Skips locked rows. Any
 * status but STATUS_OK: the database refuses outcomes.
 */
enum status delivery_try(struct connection *connection, const struct delivery_trial *trial, struct arena *arena);

#endif
