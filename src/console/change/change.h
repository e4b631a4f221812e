/*
 * A page that changes something. GET shows what would change and asks for a reason; the form is sent to the same
 * address by POST, which does it and leads back. What the user has seen is sent along: a change is made once, and only
 * while all is as it was shown.
 */
#ifndef RECAUDO_CONSOLE_CHANGE_CHANGE_H
#define RECAUDO_CONSOLE_CHANGE_CHANGE_H

#include "console/core/view.h"

/* Characters of a reason. */
enum { REASON_MAX = 250 };

/* A change in the making. */
struct change {
    struct view *view;
    struct console_reader reader;
    uint64_t id; /* in the address */

    /* Set by `read`. */
    struct text back;    /* address that shows it */
    struct text seen;    /* how it stands; the form brings it back */
    struct text refusal; /* why it cannot be done; empty: it can */
    void *subject;       /* for `write` */

    struct text reason; /* for `write` */
};

struct change_kind {
    enum say title, consequence, button;
    size_t reason_max; /* 0: REASON_MAX */
    /* Reads what is to be changed, for this user, and writes the facts that the user is to see into view->html, within
     * <dl class="facts">. STATUS_NONE: it is not there, or not this user's. */
    enum status (*read)(struct change *change);
    /* Makes the change. STATUS_CHANGED or STATUS_CLASH: it is not as it was seen, and nothing was changed. */
    enum status (*write)(struct change *change);
};

/* The page, for GET and POST. */
enum status change_make(struct view *view, const struct change_kind *kind);

#endif
