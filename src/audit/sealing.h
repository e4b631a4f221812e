/*
 * Seals the event log. Events are committed in another order than they are numbered: after an event was sealed, one
 * with a smaller number may still be committed. So a seal only covers events that are some seconds old, and the ranges
 * of earlier seals are searched again at several ages. An event found there is sealed as late. Sealing takes no lock
 * and waits for no payment.
 */
#ifndef RECAUDO_AUDIT_SEALING_H
#define RECAUDO_AUDIT_SEALING_H

#include "audit/seal_text.h"
#include "auth/seal_key.h"

struct sealing_rules {
    duration every;             /* the time between two seals */
    const struct seal_key *key; /* the key that signs; NULL: seals are not signed */
};

/* Returns the age at which an event may be sealed: a sixth of the time between seals. */
duration sealing_settles(const struct sealing_rules *rules);

/* Returns how long after a seal its range is searched for late events for the last time. */
duration sealing_searched_for(const struct sealing_rules *rules);

/* A seal in progress. */
struct sealing;

/*
 * Does one step, of some milliseconds, of sealing all events that can be sealed. *sealing is NULL at first and after
 * the last step. After an error it is NULL, and the next call starts again. *more: further steps can be done now.
 * STATUS_CHANGED: another dispatcher has made the seal.
 */
enum status sealing_step(struct connection *connection, const struct sealing_rules *rules, struct sealing **sealing,
                         bool *more);

/* Abandons the seal. `sealing` may be NULL. */
void sealing_drop(struct sealing *sealing);

#endif
