/* What all pages have in common: the bar with the pages, the heading, and the reader's choices at the end. */
#ifndef RECAUDO_CONSOLE_CORE_LAYOUT_H
#define RECAUDO_CONSOLE_CORE_LAYOUT_H

#include "console/core/view.h"

/* A page in the bar. */
struct layout_link {
    const char *path;
    enum say label;
};

/* The links that the user may follow; the last has no path. */
struct layout {
    const struct layout_link *links;
    struct text style_address;
};

/* The whole document around view->html, which it leaves as it is. view->user may be NULL: then there are no links. */
struct text layout_document(const struct view *view, const struct layout *layout);

/* The offered zone of that name, else view->home_zone. */
const char *layout_zone(const struct view *view, struct text name);

#endif
