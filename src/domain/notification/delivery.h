/*
 * Was a notification delivered, and if not, when is it tried again (doc/protocol.md, "Notification")? Pure: the caller
 * brings the reply and the randomness.
 */
#ifndef RECAUDO_DOMAIN_NOTIFICATION_DELIVERY_H
#define RECAUDO_DOMAIN_NOTIFICATION_DELIVERY_H

#include "base/clock.h"
#include "domain/notification/notification.h"

enum delivery { DELIVERED, TRY_LATER };

/* A Retry-After beyond this counts as this. */
#define RETRY_AFTER_MAX DAY

/* What the JSON of a reply says, see wire/merchant/acknowledgement.h. */
enum reply_says { REPLY_SAYS_NOTHING, REPLY_SAYS_OK, REPLY_SAYS_ERROR };

/*
 * Judges a whole reply. DELIVERED needs 2xx, a body whose JSON does not say ERROR and, unless the merchant settles for
 * any 2xx, one that is OK or begins with it as a word, in any case, or whose JSON says OK.
 */
enum delivery delivery_judge(enum acknowledgement acknowledgement, int http_status, struct text body,
                             enum reply_says says);

/* The body without a byte order mark and without white space at both ends. */
struct text delivery_reply_text(struct text body);

/*
 * How long to wait when `attempts_made` attempts have failed (0: not at all), or longer when `retry_after` (0: none)
 * says so; to this up to 10 % is added by `random`. False: that was the last attempt.
 */
MUST_USE bool schedule_delay(const struct schedule *schedule, uint64_t attempts_made, uint32_t random,
                             duration retry_after, duration *out);

#endif
