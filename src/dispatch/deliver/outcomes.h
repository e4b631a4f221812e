/* Outcomes of attempts, kept for a moment and recorded together. */
#ifndef RECAUDO_DISPATCH_DELIVER_OUTCOMES_H
#define RECAUDO_DISPATCH_DELIVER_OUTCOMES_H

#include "dispatch/deliver/sendings.h"
#include "dispatch/run/task_run.h"
#include "outbound/http.h"

struct outcomes;

struct outcomes *outcomes_create(const struct config *config);
void outcomes_destroy(struct outcomes *outcomes); /* the deliveries are not its own */

/* Judges the reply and keeps the outcome, and the delivery with it until it is recorded. */
void outcomes_add(struct outcomes *outcomes, struct sending *sending, const struct http_reply *reply);

/* The same for a notification that could not be sent at all. */
void outcomes_add_unsent(struct outcomes *outcomes, struct sending *sending);

/* How many are kept. */
size_t outcomes_count(const struct outcomes *outcomes);

/* No more deliveries are to be begun until some are recorded. */
bool outcomes_are_full(const struct outcomes *outcomes);

/*
 * How long until they are to be recorded; an hour when there are none. They wait a moment for company, unless nothing
 * is in flight that may come (`no_more`), and longer and longer while recording fails.
 */
duration outcomes_time_to_record(const struct outcomes *outcomes, bool no_more);

/* Records all, and their deliveries are no longer in hand. On any other status than STATUS_OK they are kept; call
 * again. */
enum status outcomes_record(struct outcomes *outcomes, struct task_run *run, struct sendings *sendings);

#endif
