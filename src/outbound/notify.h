/* A notification as an HTTP request, and what its reply means (doc/protocol.md, "Notification"). */
#ifndef RECAUDO_OUTBOUND_NOTIFY_H
#define RECAUDO_OUTBOUND_NOTIFY_H

#include "auth/secret_pair.h"
#include "domain/notification/delivery.h"
#include "outbound/http.h"

/* Bytes of a merchant's reply that are looked at and kept. */
enum { NOTIFY_REPLY_MAX = 16 * 1024 };

/*
 * The POST: the specification's body with its checksum, and beside it the headers of Standard Webhooks and
 * Recaudo-Sequence. `hash` is the merchant's NOTIFICATION_HASH: the current one makes the checksum, and after a
 * rotation both sign, with a space between, until the old one's time is over. `now` is the moment of this attempt. Its
 * texts lie in the notification and the arena.
 */
struct http_request notify_request(const struct notification *notification, const struct secret_pair *hash, instant now,
                                   duration timeout, struct arena *arena);

/* What an operator sends to try a merchant's endpoint. */
struct notify_test {
    struct text url;
    struct text currency;
    enum notification_digest digest;
};

/*
 * The same POST for a message that is no notification: pv_po_id 0, po_id "recaudo.test" (the point cannot stand in a
 * real one), status cancelled, amount 0, pv_payment TEST; webhook-id begins with test_, and Recaudo-Test: 1 stands in
 * the place of Recaudo-Sequence.
 */
struct http_request notify_test_request(const struct notify_test *test, const struct secret_pair *hash, instant now,
                                        duration timeout, struct arena *arena);

struct notify_verdict {
    enum delivery delivery;
    const char *reason;   /* "acknowledged"; else the http_error_name, "status" (not 2xx), or "reply" (not OK) */
    duration retry_after; /* asked for with 429 or 503; else 0 */
};

struct notify_verdict notify_judge(enum acknowledgement acknowledgement, const struct http_reply *reply);

#endif
