/* The layout of all pages: the bar with links, the heading, and the reader's choices at the end. */
#ifndef RECAUDO_CONSOLE_CORE_LAYOUT_H
#define RECAUDO_CONSOLE_CORE_LAYOUT_H

#include "console/core/view.h"

/* A link in the bar. */
struct layout_link {
    const char *path;
    enum say label;
};

/* The links that the user may follow; the last one's path is NULL. */
struct layout {
    const struct layout_link *links;
    struct text style_address;
};

/* Returns the whole document around view->html, which is not changed. view->user may be NULL; the bar then has no
 * links. */
struct text layout_document(const struct view *view, const struct layout *layout);

/* Returns the zone of that name if readers may choose it, else view->home_zone. */
const char *layout_zone(const struct view *view, struct text name);

#endif
