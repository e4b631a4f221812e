/* Text as it may stand in a page. */
#ifndef RECAUDO_PAGE_HTML_H
#define RECAUDO_PAGE_HTML_H

#include "base/arena.h"

/*
 * Valid UTF-8 as HTML text or as a value between quotation marks: it opens no element and ends no value. Control
 * characters become spaces, and characters that turn the direction of what follows are left out: an amount must not
 * read backwards.
 */
struct text html_escape(struct text utf8, struct arena *arena);

#endif
