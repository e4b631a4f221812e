/* The words for each kind of change that waits for a second user. */
#ifndef RECAUDO_CONSOLE_CHANGE_APPROVAL_KINDS_H
#define RECAUDO_CONSOLE_CHANGE_APPROVAL_KINDS_H

#include "console/core/view.h"
#include "store/payment/approvals.h"

static inline struct text approval_kind_word(const struct view *view, const struct approval *approval) {
    static const struct {
        const char *kind;
        enum say word;
    } KINDS[] = {{APPROVAL_CLAIM, SAY_APPROVAL_OF_CLAIM},
                 {APPROVAL_NOTIFY_URL, SAY_APPROVAL_OF_URL},
                 {APPROVAL_LIMITS, SAY_APPROVAL_OF_LIMITS},
                 {APPROVAL_NETWORK_SECRET, SAY_APPROVAL_OF_SECRET},
                 {APPROVAL_MERCHANT_SECRET, SAY_APPROVAL_OF_SECRET},
                 {APPROVAL_NOTIFICATION_SECRET, SAY_APPROVAL_OF_NOTIFICATION_SECRET}};
    for (size_t i = 0; i < COUNT_OF(KINDS); i++) {
        if (text_equal(approval->kind, text_of(KINDS[i].kind))) {
            return say(view, KINDS[i].word);
        }
    }
    return approval->kind;
}

static inline bool approval_is_claim(const struct approval *approval) {
    return text_equal(approval->kind, TEXT(APPROVAL_CLAIM));
}

static inline struct text approval_whose(const struct approval *approval) {
    return approval->network.size > 0 ? approval->network : approval->merchant;
}

#endif
