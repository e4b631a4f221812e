/*
 * Makes seals of the event log. Events are committed out of order: one that has a smaller number may be committed after
 * one that was sealed. So a seal covers events that are some seconds old, and the ranges of earlier seals are searched
 * again at several ages; what is found there is sealed as late. No lock is taken, and payments touch no row of it.
 */
#ifndef RECAUDO_AUDIT_SEALING_H
#define RECAUDO_AUDIT_SEALING_H

#include "audit/seal_text.h"
#include "auth/seal_key.h"

struct sealing_rules {
    duration every;             /* the time between two seals */
    const struct seal_key *key; /* signs; NULL: nobody does */
};

/* An event is sealed when it is at least this old: a sixth of the time between seals. */
duration sealing_settles(const struct sealing_rules *rules);

/* The last search for late events in the range of a seal is so long after it was made. */
duration sealing_searched_for(const struct sealing_rules *rules);

/* Seals that are being made. */
struct sealing;

/*
 * Does one step, of some milliseconds, of sealing what can be sealed. *sealing is NULL at first and after the last
 * step. After an error it is NULL, and the next call begins again. *more: there is more to do now. STATUS_CHANGED:
 * another dispatcher has made the seal.
 */
enum status sealing_step(struct connection *connection, const struct sealing_rules *rules, struct sealing **sealing,
                         bool *more);

/* Abandons it. `sealing` may be NULL. */
void sealing_drop(struct sealing *sealing);

#endif
