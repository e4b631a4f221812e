/*
 * Logs failed attempts, outcomes that cannot be recorded, and rests of endpoints, at most one line per attempt. Nothing
 * is sent to an endpoint that rests, so a dead endpoint does not fill the log.
 */
#ifndef RECAUDO_DISPATCH_DELIVER_DELIVERY_LOG_H
#define RECAUDO_DISPATCH_DELIVER_DELIVERY_LOG_H

#include "dispatch/deliver/sendings.h"
#include "store/notification/endpoints.h"

/* Logs a failed attempt that was recorded: the notification, its merchant, the attempt's number, the reason, and the
 * time of the next attempt. Logs nothing for an acknowledged one. */
void delivery_log_attempt(const struct sending *delivery, const struct delivery_outcome *outcome);

/* Logs if the endpoint begins to rest, or rests again. `merchant` is its state before this failed round. */
void delivery_log_failure(const struct merchant_state *merchant, struct text name, const struct rest_rule *rule);

/* Logs if the endpoint recovers. `merchant` is its state before this answer. */
void delivery_log_answer(const struct merchant_state *merchant, struct text name, const struct rest_rule *rule);

/* Logs that so many outcomes could not be recorded, or that this cannot be tried. `refused`: it does not end by itself
 * within a moment. */
void delivery_log_unrecorded(size_t count, bool refused, enum status status);

/* Log that a merchant's outcomes that others have locked fill its share of those that are kept, and that none is locked
 * any more. */
void delivery_log_share_is_full(const struct merchant_state *merchant, struct text name);
void delivery_log_share_is_free(struct text name);

/* Logs that the database refuses these outcomes and takes others. */
void delivery_log_refused(const struct delivery_outcome *outcomes, size_t count);

/* Logs that an endpoint no longer rests, according to the database. */
void delivery_log_end_of_rest(const struct due_merchant *merchant);

#endif
