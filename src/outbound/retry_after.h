/* The header Retry-After. */
#ifndef RECAUDO_OUTBOUND_RETRY_AFTER_H
#define RECAUDO_OUTBOUND_RETRY_AFTER_H

#include "base/clock.h"
#include "base/text.h"

/* Returns whether the header line is Retry-After. *out: the time from `now` that it gives; 0 if that is now or past, or
 * it is neither seconds nor a date. */
MUST_USE bool retry_after_read(struct text line, instant now, duration *out);

#endif
