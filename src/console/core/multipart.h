/* Forms with a file: multipart/form-data (RFC 7578), as browsers send them. */
#ifndef RECAUDO_CONSOLE_CORE_MULTIPART_H
#define RECAUDO_CONSOLE_CORE_MULTIPART_H

#include "base/text.h"

/* Whether a Content-Type says that the body is such a form. */
bool multipart_is(struct text content_type);

/* The content of the first part with that name, within `body` and as it was sent. False: there is none before the body
 * ends or stops making sense. */
MUST_USE bool multipart_find(struct text content_type, struct text body, const char *name, struct text *out);

#endif
