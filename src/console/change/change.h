/*
 * A page that changes something. GET shows what would change and asks for a reason. The form is sent to the same
 * address by POST, which makes the change and redirects. The form contains the state that the user saw. A change is
 * made only if that state is still current, so it is made once.
 */
#ifndef RECAUDO_CONSOLE_CHANGE_CHANGE_H
#define RECAUDO_CONSOLE_CHANGE_CHANGE_H

#include "console/core/view.h"
#include "store/operation/events.h"

/* A change that is being shown or made. */
struct change {
    struct view *view;
    struct console_reader reader;
    uint64_t id; /* from the address */

    /* Set by `read`. */
    struct text back;    /* address of the page that shows the subject */
    struct text seen;    /* the state shown, which the form sends back */
    struct text refusal; /* why the change is not possible; empty: it is */
    void *subject;       /* for `write` */

    struct text reason; /* for `write` */
};

struct change_kind {
    enum say title, consequence, button;
    size_t reason_max; /* 0: REASON_MAX */
    /* Reads the subject for this user, and writes the facts to show into view->html, within <dl class="facts">.
     * STATUS_NONE: it does not exist or is out of the user's scope. */
    enum status (*read)(struct change *change);
    /* Makes the change. STATUS_CHANGED or STATUS_CLASH: the subject was modified since it was read, and nothing was
     * changed. */
    enum status (*write)(struct change *change);
};

/* Makes the page, for GET and POST. */
enum status change_make(struct view *view, const struct change_kind *kind);

#endif
