/* The pages of the console: where each is, who may see it, and the function that makes it. */
#ifndef RECAUDO_CONSOLE_PAGE_TABLE_H
#define RECAUDO_CONSOLE_PAGE_TABLE_H

#include "console/core/layout.h"

/* Sets of roles. */
#define ROLE_BIT(role)  (1U << (role))
#define ROLES_STAFF     (ROLE_BIT(ROLE_VIEWER) | ROLE_BIT(ROLE_SUPPORT) | ROLE_BIT(ROLE_OPERATOR))
#define ROLES_ALL       (ROLES_STAFF | ROLE_BIT(ROLE_MERCHANT))
#define ROLES_SUPPORT   (ROLE_BIT(ROLE_SUPPORT) | ROLE_BIT(ROLE_OPERATOR))
#define ROLES_OPERATORS ROLE_BIT(ROLE_OPERATOR)

struct page {
    const char *method; /* "GET" or "POST" */
    const char *path;   /* a * stands for one part of a path, which is not empty */
    unsigned roles;     /* the others get what an unknown address gets */
    /*
     * Writes the page into view->html and sets view->title, or view->location. STATUS_NONE: what the address names is
     * not there, or not this user's: the same page as for an unknown address. Any other status becomes a page that says
     * what to do.
     */
    enum status (*make)(struct view *view);
    enum say label; /* in the bar; SAY_NONE: it is not there */
};

/* The page with this path and method, and the words of the path. NULL: there is none; *other_method: there is one for
 * the other method. */
const struct page *page_find(const struct console_request *request, struct text words[VIEW_WORDS_MAX],
                             bool *other_method);

/* The header line Allow: of the pages with this path. An unknown address has what most pages have. */
const char *page_allow(const struct console_request *request);

/* The links of the bar that a role has; the last has no path. */
const struct layout_link *page_links(enum console_role role, struct arena *arena);

#endif
