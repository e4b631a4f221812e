/* What the delivering process says about each failed attempt and each rest of an endpoint: one line, at most one for an
 * attempt. While an endpoint rests nothing is sent to it, so a dead one does not fill the log. */
#ifndef RECAUDO_DISPATCH_DELIVER_DELIVERY_LOG_H
#define RECAUDO_DISPATCH_DELIVER_DELIVERY_LOG_H

#include "dispatch/deliver/sendings.h"
#include "store/notification/endpoints.h"

/* An attempt failed and that is recorded: which notification, of whom, the attempt's number, why, and when the next
 * one is. Nothing for one that was acknowledged. */
void delivery_log_attempt(const struct sending *delivery, const struct delivery_outcome *outcome);

/* `merchant` is as it was before this failed round: the endpoint may begin to rest, or rest once more. */
void delivery_log_failure(const struct merchant_state *merchant, struct text name, const struct rest_rule *rule);

/* The endpoint has answered. `merchant` is as it was before. */
void delivery_log_answer(const struct merchant_state *merchant, struct text name, const struct rest_rule *rule);

/* The database says that an endpoint which rested does so no longer. */
void delivery_log_end_of_rest(const struct due_merchant *merchant);

#endif
