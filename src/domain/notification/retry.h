/*
 * Decides which notifications an operator may have sent again, and in which order (doc/protocol.md, "Notification").
 * Pure.
 *
 * The last notification that a merchant receives about an order must state the order's true state. If a notification is
 * sent again, all later ones of its order are sent again after it; otherwise none is.
 */
#ifndef RECAUDO_DOMAIN_NOTIFICATION_RETRY_H
#define RECAUDO_DOMAIN_NOTIFICATION_RETRY_H

#include "domain/notification/notification.h"

/* Why a chosen notification is not sent again. */
enum retry_refusal {
    RETRY_GRANTED,
    RETRY_NO_URL,    /* the merchant has no notify_url */
    RETRY_DELIVERED, /* it was acknowledged, and `again` was not given */
    RETRY_IN_HAND,   /* a dispatcher is sending it */
    RETRY_DUE,       /* it is due already, and its endpoint does not rest */
    RETRY_WAITING,   /* it will be sent after an earlier one of its order */
    RETRY_FOLLOWED,  /* a later one of its order has finished and would not be sent again after it */
    RETRY_FOLLOWER_IN_HAND
};

/* One notification of an order. */
struct retry_row {
    uint64_t id, sequence;
    enum notification_state state;
    bool chosen;
    bool in_hand;                    /* leased to a dispatcher */
    bool is_due;                     /* its due time has passed */
    bool is_resting;                 /* its endpoint rests; a retry ends that */
    enum notification_state becomes; /* result: the new state; PENDING is due at once */
    enum retry_refusal refusal;      /* result: RETRY_GRANTED if not chosen */
};

/*
 * Judges all `count` notifications of one order, which are sorted by sequence. `addressed`: the merchant has a
 * notify_url. `again`: delivered notifications are to be sent again too.
 */
void retry_judge(struct retry_row *rows, size_t count, bool addressed, bool again);

/* True if the row must be written: its state changes, or it becomes due earlier. */
bool retry_changes(const struct retry_row *row);

/* Describes a refusal for operators; "" for RETRY_GRANTED. */
const char *retry_refusal_words(enum retry_refusal refusal);

#endif
