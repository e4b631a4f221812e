/* A notification as an HTTP request, and the verdict on its reply (doc/protocol.md, "Notification"). */
#ifndef RECAUDO_OUTBOUND_NOTIFY_H
#define RECAUDO_OUTBOUND_NOTIFY_H

#include "auth/secret_pair.h"
#include "domain/notification/delivery.h"
#include "outbound/http.h"

/* Bytes of a merchant's reply that are examined and kept. */
enum { NOTIFY_REPLY_MAX = 16 * 1024 };

/*
 * Returns the POST: the specification's body with its checksum, the headers of Standard Webhooks, and Recaudo-Sequence.
 * `hash` is the merchant's NOTIFICATION_HASH. The current secret makes the checksum. After a rotation both secrets
 * sign, with a space between, until the old one expires. `now` is the time of this attempt. Its texts are in the
 * notification and the arena.
 */
struct http_request notify_request(const struct notification *notification, const struct secret_pair *hash, instant now,
                                   duration timeout, struct arena *arena);

/* A test of a merchant's endpoint. */
struct notify_test {
    struct text url;
    struct text currency;
    enum notification_digest digest;
};

/*
 * Returns the same POST for a message that is no notification: pv_po_id 0, po_id "recaudo.test" (no real one can have a
 * point), status cancelled, amount 0, pv_payment TEST. webhook-id begins with test_, and Recaudo-Test: 1 replaces
 * Recaudo-Sequence.
 */
struct http_request notify_test_request(const struct notify_test *test, const struct secret_pair *hash, instant now,
                                        duration timeout, struct arena *arena);

struct notify_verdict {
    enum delivery delivery;
    const char *reason;   /* "acknowledged"; else the http_error_name, "status" (not 2xx), or "reply" (not OK) */
    duration retry_after; /* requested with 429 or 503; else 0 */
};

struct notify_verdict notify_judge(enum acknowledgement acknowledgement, const struct http_reply *reply);

#endif
