/* Escaping of text for HTML. */
#ifndef RECAUDO_PAGE_HTML_H
#define RECAUDO_PAGE_HTML_H

#include "base/arena.h"

/*
 * Escapes valid UTF-8 for use as HTML text or inside a quoted attribute value. Control characters become spaces.
 * Characters that change the text direction are removed, so that an amount cannot be made to read backwards.
 */
struct text html_escape(struct text utf8, struct arena *arena);

#endif
