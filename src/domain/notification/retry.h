/*
 * Which notifications an operator may have sent again, and in what order they then go out (doc/protocol.md,
 * "Notification"). Pure.
 *
 * The merchant's last word about an order must stay the true one: what came after a notification that is sent again is
 * sent again behind it, or nothing is.
 */
#ifndef RECAUDO_DOMAIN_NOTIFICATION_RETRY_H
#define RECAUDO_DOMAIN_NOTIFICATION_RETRY_H

#include "domain/notification/notification.h"

/* Why a chosen notification is left as it is. */
enum retry_refusal {
    RETRY_GRANTED,
    RETRY_NO_URL,    /* the merchant has none */
    RETRY_DELIVERED, /* it was acknowledged, and only what was not is asked for */
    RETRY_IN_HAND,   /* a dispatcher is sending it at this moment */
    RETRY_DUE,       /* it is due already, and its endpoint does not rest */
    RETRY_WAITING,   /* it comes by itself after an earlier one of its order */
    RETRY_FOLLOWED,  /* a later one of its order is settled and would not come again behind it */
    RETRY_FOLLOWER_IN_HAND
};

/* One notification of an order. */
struct retry_row {
    uint64_t id, sequence;
    enum notification_state state;
    bool chosen;
    bool in_hand;                    /* leased to a dispatcher */
    bool is_due;                     /* its instant has come */
    bool is_resting;                 /* its endpoint rests, which a retry ends */
    enum notification_state becomes; /* judged: the new state; PENDING is due at once */
    enum retry_refusal refusal;      /* judged: of those not chosen, RETRY_GRANTED */
};

/*
 * Judges all notifications of one order, `count` of them by ascending sequence. `addressed`: its merchant has a URL;
 * `again`: also what was delivered is to be sent again.
 */
void retry_judge(struct retry_row *rows, size_t count, bool addressed, bool again);

/* The row is to be written: its state changes, or it becomes due before its time. */
bool retry_changes(const struct retry_row *row);

/* What a refusal means, in words; "" for RETRY_GRANTED. */
const char *retry_refusal_words(enum retry_refusal refusal);

#endif
