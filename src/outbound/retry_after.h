/* The header Retry-After. */
#ifndef RECAUDO_OUTBOUND_RETRY_AFTER_H
#define RECAUDO_OUTBOUND_RETRY_AFTER_H

#include "base/clock.h"
#include "base/text.h"

/* What a header line says, if it is Retry-After: true, and how long from `now` on; 0: now, in the past, or neither
 * seconds nor a date. */
MUST_USE bool retry_after_read(struct text line, instant now, duration *out);

#endif
