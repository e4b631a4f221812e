/* Notifications to merchants about their orders (specification, "Notification request"; doc/protocol.md,
 * "Notification"). */
#ifndef RECAUDO_DOMAIN_NOTIFICATION_NOTIFICATION_H
#define RECAUDO_DOMAIN_NOTIFICATION_NOTIFICATION_H

#include "base/sealed_pair.h"
#include "domain/money.h"

enum notification_status { NOTIFY_APPROVED, NOTIFY_CANCELLED };

/* An order has at most one of each status. */
enum { NOTIFICATIONS_PER_ORDER_MAX = 2 };

enum notification_state {
    NOTIFICATION_UNADDRESSED, /* the merchant has no URL */
    NOTIFICATION_WAITING,     /* an earlier one of the order must finish first */
    NOTIFICATION_PENDING,
    NOTIFICATION_DELIVERED,
    NOTIFICATION_EXHAUSTED /* all attempts failed */
};

enum notification_digest { DIGEST_SHA256, DIGEST_SHA512 };

/* What counts as acknowledged: 2xx and OK in the body, or any 2xx. */
enum acknowledgement { ACKNOWLEDGE_STRICT, ACKNOWLEDGE_ANY_2XX };

/*
 * The texts of a notification. The struct and the function that copies it (dispatch/deliver/sendings.c) are made from
 * this table, so a copy of a new text cannot be forgotten and dangle.
 *
 * webhook_id: identifies the notification to the merchant, who recognises a repetition by it. The same in every attempt
 * and used for no other notification.
 */
#define NOTIFICATION_TEXTS(X) X(webhook_id) X(po_id) X(currency) X(payment_means) X(merchant_name) X(url)

/* One notification to be sent. */
struct notification {
#define X(name) struct text name;
    NOTIFICATION_TEXTS(X)
#undef X
    uint64_t id;
    uint64_t order_id; /* pv_po_id */
    uint64_t merchant_id;
    uint64_t sequence; /* among the order's, from 1 */
    uint64_t attempts; /* made since it became pending */
    enum notification_status status;
    struct money amount;
    struct sealed_pair sealed_hash; /* NOTIFICATION_HASH, encrypted for the merchant's name */
    enum notification_digest digest;
    enum acknowledgement acknowledgement;
};

/* "approved", "cancelled". */
const char *notification_status_name(enum notification_status status);
MUST_USE bool notification_status_parse(struct text name, enum notification_status *out);

/* "unaddressed", "waiting", "pending", "delivered", "exhausted". */
const char *notification_state_name(enum notification_state state);
MUST_USE bool notification_state_parse(struct text name, enum notification_state *out);

/* "sha256", "sha512". */
MUST_USE bool notification_digest_parse(struct text name, enum notification_digest *out);

/* "strict", "http2xx". */
MUST_USE bool acknowledgement_parse(struct text name, enum acknowledgement *out);

#endif
