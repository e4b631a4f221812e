/* Forms with a file: multipart/form-data (RFC 7578), as browsers send them. */
#ifndef RECAUDO_CONSOLE_CORE_MULTIPART_H
#define RECAUDO_CONSOLE_CORE_MULTIPART_H

#include "base/text.h"

/* Whether a Content-Type is multipart/form-data. */
bool multipart_is(struct text content_type);

/* Finds the content of the first part with that name. *out points into `body`, with the bytes as sent. Returns false if
 * the part does not come before the end of the body or a malformed part. */
MUST_USE bool multipart_find(struct text content_type, struct text body, const char *name, struct text *out);

#endif
