/* Outcomes of attempts, collected for a moment and recorded together. */
#ifndef RECAUDO_DISPATCH_DELIVER_OUTCOMES_H
#define RECAUDO_DISPATCH_DELIVER_OUTCOMES_H

#include "dispatch/deliver/sendings.h"
#include "dispatch/run/task_run.h"
#include "outbound/http.h"

struct outcomes;

struct outcomes *outcomes_create(const struct config *config);
void outcomes_destroy(struct outcomes *outcomes); /* does not free the sendings */

/* Judges the reply and keeps the outcome with its sending until it is recorded. The shares of merchants
 * (merchant_slots.h) bound how many are kept. */
void outcomes_add(struct outcomes *outcomes, struct sending *sending, const struct http_reply *reply);

/* The same for a notification that could not be sent. */
void outcomes_add_unsent(struct outcomes *outcomes, struct sending *sending);

/* Number of outcomes to be recorded. */
size_t outcomes_count(const struct outcomes *outcomes);

/* Number of those beside them whose rows others have locked, for longer than it makes sense to wait at the end. */
size_t outcomes_locked(const struct outcomes *outcomes);

/*
 * True: no notification may be sent until outcomes are recorded, because the database refuses them, or has taken none
 * for half a minute (an outage, a lock on a table). While it refuses, each new process would send the same
 * notifications again. So this is true at first, until outcomes_record has tried whether the database would take an
 * outcome. If a refusal begins later, only notifications in flight are affected, and each is sent once.
 */
bool outcomes_hold_sending(const struct outcomes *outcomes);

/* True until the first call of outcomes_record. */
bool outcomes_are_untried(const struct outcomes *outcomes);

/*
 * Returns the time until outcomes_record must be called, 0 or less: now; an hour if there are no outcomes and the
 * database takes them. They wait a moment for others, unless none are in flight (`no_more`), longer after each failure
 * to record them, and some seconds while others have locked their rows.
 */
duration outcomes_time_to_record(const struct outcomes *outcomes, bool no_more);

/* The context of outcomes_record. */
struct recorder {
    struct task_run *run;
    struct sendings *sendings;
    struct merchant_slots *merchants;
    bool all_must_hold; /* as in struct recording */
};

/*
 * Records the oldest outcomes, as many as fit in one transaction. Removes their sendings once it is committed, then
 * notes what they show about endpoints. If there are no outcomes yet, tries whether the database would take one. More
 * outcomes may be added meanwhile. Where others have locked the rows of some, these wait, and the rest is recorded.
 * STATUS_CHANGED: the lease of one no longer holds.
 * Any status but STATUS_OK: the outcomes are kept for the next call.
 */
enum status outcomes_record(struct outcomes *outcomes, const struct recorder *by);

#endif
