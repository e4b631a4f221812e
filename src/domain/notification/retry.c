#include "domain/notification/retry.h"

static const char *const WORDS[] = {
    [RETRY_GRANTED] = "",
    [RETRY_NO_URL] = "its merchant has no notify_url (recaudoctl merchant set NAME --notify-url URL sends it)",
    [RETRY_DELIVERED] = "it was delivered; --again sends it all the same",
    [RETRY_IN_HAND] = "it is being sent at this moment",
    [RETRY_DUE] = "it is due already, and its endpoint does not rest: it is sent at once",
    [RETRY_WAITING] = "it is sent automatically after the earlier notification of its order",
    [RETRY_FOLLOWED] =
        "the merchant would get it last, although a later notification of its order has finished: retry both",
    [RETRY_FOLLOWER_IN_HAND] = "the later notification of its order is being sent at this moment",
};

static bool has_finished(enum notification_state state) {
    return state == NOTIFICATION_DELIVERED || state == NOTIFICATION_EXHAUSTED;
}

static bool is_being_sent(const struct retry_row *row) {
    return row->state == NOTIFICATION_PENDING && row->in_hand && !row->is_due;
}

/* Judges one notification without regard to the others of its order. */
static enum retry_refusal judge_alone(const struct retry_row *row, bool addressed, bool again) {
    if (!addressed) {
        return RETRY_NO_URL;
    }
    if (row->state == NOTIFICATION_DELIVERED && !again) {
        return RETRY_DELIVERED;
    }
    if (row->state == NOTIFICATION_PENDING && row->is_due && !row->is_resting) {
        return RETRY_DUE;
    }
    return is_being_sent(row) ? RETRY_IN_HAND : RETRY_GRANTED;
}

/* Judges whether an earlier notification may be sent again, given the decision on this later one. */
static enum retry_refusal judge_follower(const struct retry_row *later) {
    if (later->chosen && later->refusal == RETRY_GRANTED) {
        return RETRY_GRANTED;
    }
    if (is_being_sent(later)) {
        return RETRY_FOLLOWER_IN_HAND;
    }
    return has_finished(later->state) ? RETRY_FOLLOWED : RETRY_GRANTED;
}

static bool goes_out(const struct retry_row *row) {
    return row->chosen && row->refusal == RETRY_GRANTED;
}

/* Returns true if all earlier notifications have finished and are not sent again. */
static bool is_first_in_line(const struct retry_row *rows, size_t at) {
    for (size_t earlier = 0; earlier < at; earlier++) {
        if (!has_finished(rows[earlier].becomes)) {
            return false;
        }
    }
    return true;
}

static bool follows_one_that_goes_out(const struct retry_row *rows, size_t at) {
    bool follows = false;
    for (size_t earlier = 0; earlier < at; earlier++) {
        follows = follows || goes_out(&rows[earlier]);
    }
    return follows;
}

/* Called in ascending order, so that the earlier notifications are decided. */
static void decide_row(struct retry_row *rows, size_t at) {
    struct retry_row *row = &rows[at];
    bool follows = follows_one_that_goes_out(rows, at);
    if (goes_out(row) && row->state == NOTIFICATION_WAITING && !follows) {
        row->refusal = RETRY_WAITING;
    } else if (row->refusal == RETRY_DUE && follows) {
        row->refusal = RETRY_GRANTED;
    }
    row->becomes = row->state;
    if (goes_out(row) || (follows && row->state == NOTIFICATION_PENDING)) {
        row->becomes = is_first_in_line(rows, at) ? NOTIFICATION_PENDING : NOTIFICATION_WAITING;
    }
}

void retry_judge(struct retry_row *rows, size_t count, bool addressed, bool again) {
    for (size_t at = count; at-- > 0;) {
        struct retry_row *row = &rows[at];
        row->refusal = row->chosen ? judge_alone(row, addressed, again) : RETRY_GRANTED;
        for (size_t later = at + 1; row->chosen && row->refusal == RETRY_GRANTED && later < count; later++) {
            row->refusal = judge_follower(&rows[later]);
        }
    }
    for (size_t at = 0; at < count; at++) {
        decide_row(rows, at);
    }
}

bool retry_changes(const struct retry_row *row) {
    return row->becomes != row->state || (goes_out(row) && row->becomes == NOTIFICATION_PENDING);
}

const char *retry_refusal_words(enum retry_refusal refusal) {
    return WORDS[refusal];
}
