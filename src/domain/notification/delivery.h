/*
 * Judges whether a notification was delivered and when the next attempt follows (doc/protocol.md, "Notification").
 * Pure: the caller passes the reply and the randomness.
 */
#ifndef RECAUDO_DOMAIN_NOTIFICATION_DELIVERY_H
#define RECAUDO_DOMAIN_NOTIFICATION_DELIVERY_H

#include "base/clock.h"
#include "domain/notification/notification.h"

enum delivery { DELIVERED, TRY_LATER };

/* A longer Retry-After is cut to this. */
#define RETRY_AFTER_MAX DAY

/* Meaning of a reply's JSON, see wire/merchant/acknowledgement.h. */
enum reply_says { REPLY_SAYS_NOTHING, REPLY_SAYS_OK, REPLY_SAYS_ERROR };

/*
 * Judges a complete reply. DELIVERED requires all of:
 * - the status is 2xx;
 * - the JSON of the body, if it is JSON, does not say ERROR;
 * - the body is "OK" (in any case), begins with it and goes on with no ASCII letter or digit, or is JSON that says OK.
 *   Not required of a merchant with ACKNOWLEDGE_ANY_2XX.
 */
enum delivery delivery_judge(enum acknowledgement acknowledgement, int http_status, struct text body,
                             enum reply_says says);

/* Returns the body without a byte order mark and without white space at both ends. */
struct text delivery_reply_text(struct text body);

/*
 * Sets *out to the delay before the next attempt: the schedule's after `attempts_made` failures (0: no delay), or
 * `retry_after` (0: none) if that is longer, plus up to 10 % from `random`. False: that was the last attempt.
 */
MUST_USE bool schedule_delay(const struct schedule *schedule, uint64_t attempts_made, uint32_t random,
                             duration retry_after, duration *out);

#endif
