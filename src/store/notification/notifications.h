/* Notifications and the attempts to deliver them, for display. */
#ifndef RECAUDO_STORE_NOTIFICATION_NOTIFICATIONS_H
#define RECAUDO_STORE_NOTIFICATION_NOTIFICATIONS_H

#include "base/arena.h"
#include "domain/notification/notification.h"
#include "store/db/connection.h"

struct notification_row {
    uint64_t id, order_id;            /* order_id: pv_po_id */
    struct text webhook_id;           /* the header webhook-id of all its attempts */
    struct text po_id, merchant, url; /* url: the merchant's current one; empty: it has none */
    uint64_t sequence;                /* position among the order's notifications, from 1 */
    struct text status, state;
    struct money amount;
    struct text currency, payment_means;
    uint64_t attempts;              /* since it became pending */
    struct text last_reason;        /* of the last attempt, a value of attempts.reason; empty: no attempt yet */
    instant due_at;                 /* if in_hand: the end of its lease */
    bool in_hand;                   /* a dispatcher holds its lease */
    instant created_at, settled_at; /* settled_at 0: not finished */
    struct text changed_by;
};

/* STATUS_NONE: there is no such notification. */
enum status notifications_find(struct connection *connection, uint64_t id, struct arena *arena,
                               struct notification_row *out);

enum status notifications_find_by_webhook_id(struct connection *connection, struct text webhook_id, struct arena *arena,
                                             struct notification_row *out);

struct notification_filter {
    struct text state;    /* a notification_state_name; empty: any */
    uint64_t merchant_id; /* 0: any */
    uint64_t limit;
};

/*
 * Calls `each` for up to `limit` notifications that match, newest first; if a state is given, latest due_at first.
 * `each` must not use the connection.
 */
enum status notifications_list(struct connection *connection, const struct notification_filter *filter,
                               struct arena *arena,
                               void (*each)(void *context, const struct notification_row *notification), void *context);

/* Calls `each` for the notifications of an order, oldest first. */
enum status notifications_of_order(struct connection *connection, uint64_t order_id, struct arena *arena,
                                   void (*each)(void *context, const struct notification_row *notification),
                                   void *context);

struct attempt_row {
    uint64_t notification_id;
    uint64_t number; /* among the notification's attempts that are kept, from 1 */
    instant started_at;
    duration took;
    struct text url;        /* where it was sent; empty: recorded by a release that did not note it */
    struct text address;    /* empty: no connection was made */
    uint64_t http_status;   /* 0: no reply */
    struct text reason;     /* a value of attempts.reason */
    bool late;              /* the outcome came after the lease had ended, so it changed nothing */
    struct text reply;      /* as received, any bytes; its first 16 KiB */
    struct text dispatcher; /* host name; empty: the dispatcher's row was deleted */
};

/* Call `each` for every attempt at a notification, or at an order's notifications, oldest first. `each` must not use
 * the connection. */
enum status attempts_of_notification(struct connection *connection, uint64_t notification_id, struct arena *arena,
                                     void (*each)(void *context, const struct attempt_row *attempt), void *context);
enum status attempts_of_order(struct connection *connection, uint64_t order_id, struct arena *arena,
                              void (*each)(void *context, const struct attempt_row *attempt), void *context);

#endif
