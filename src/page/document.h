/* The parts common to all pages: the frame, the style sheet, and the headers that forbid everything else. */
#ifndef RECAUDO_PAGE_DOCUMENT_H
#define RECAUDO_PAGE_DOCUMENT_H

#include "base/arena.h"
#include "page/wording.h"

extern const char document_content_type[];

/* The header lines of every page, each ended by CRLF. The page loads nothing, runs no script, cannot be framed, is not
 * indexed and sends no referrer. The policy allows one style sheet by its digest; a test compares the two. */
extern const char document_headers[];

/* The style sheet inside every page. */
extern const char document_style[];

/* Returns a complete page. `title` and `body` are HTML. */
struct text document_of(enum language language, struct text title, struct text body, struct arena *arena);

#endif
