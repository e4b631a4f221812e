/* Outcomes of attempts, collected for a moment and recorded together. */
#ifndef RECAUDO_DISPATCH_DELIVER_OUTCOMES_H
#define RECAUDO_DISPATCH_DELIVER_OUTCOMES_H

#include "dispatch/deliver/sendings.h"
#include "dispatch/run/task_run.h"
#include "outbound/http.h"

struct outcomes;

struct outcomes *outcomes_create(const struct config *config);
void outcomes_destroy(struct outcomes *outcomes); /* does not free the sendings */

/* Judges the reply and keeps the outcome with its sending until it is recorded. */
void outcomes_add(struct outcomes *outcomes, struct sending *sending, const struct http_reply *reply);

/* The same for a notification that could not be sent at all. */
void outcomes_add_unsent(struct outcomes *outcomes, struct sending *sending);

/* Number of outcomes that are not recorded yet. */
size_t outcomes_count(const struct outcomes *outcomes);

/*
 * True if no more notifications may be sent until some outcomes are recorded: too many wait, or the database refuses
 * them, and a notification whose outcome cannot be recorded would be sent again by each new process. A process begins
 * so: it sends none before outcomes_record has tried whether one would be taken. A refusal that begins later is met by
 * the outcomes of what is in flight then, which are sent once.
 */
bool outcomes_hold_sending(const struct outcomes *outcomes);

/* True until outcomes_record was called for the first time. */
bool outcomes_are_untried(const struct outcomes *outcomes);

/*
 * Returns the time until outcomes_record must be called; an hour if there are none. They wait a moment for others,
 * unless none are in flight (`no_more`), and longer after each failure to record them.
 */
duration outcomes_time_to_record(const struct outcomes *outcomes, bool no_more);

/* Who records them. */
struct recorder {
    struct task_run *run;
    struct sendings *sendings;
    bool all_must_hold; /* as in struct recording */
};

/*
 * Records the oldest outcomes, as many as one transaction takes, and removes their sendings as soon as that is
 * committed; then it notes what they say about endpoints. On any status but STATUS_OK they are kept for the next call.
 * Where there are none yet, it tries whether the database would take them.
 * STATUS_CHANGED: the lease of one does not hold any more. More may be added meanwhile.
 */
enum status outcomes_record(struct outcomes *outcomes, const struct recorder *by);

#endif
