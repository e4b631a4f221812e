/* Instants as text and as calendar parts, always in UTC. Pure arithmetic; years 1970 to 9999. */
#ifndef RECAUDO_DOMAIN_INSTANT_H
#define RECAUDO_DOMAIN_INSTANT_H

#include "base/clock.h"
#include "base/text.h"

struct civil {
    unsigned year, month, day, hour, minute, second, microsecond;
};

enum { INSTANT_TEXT_SIZE = 32 };

/* False when the parts are no moment between 1970 and 9999 (leap seconds are none). */
MUST_USE bool instant_of_civil(const struct civil *civil, instant *out);

/* Also of a moment before 1970, such as the one 31 days before a date of January 1970; from year 2 on. */
struct civil instant_to_civil(instant at);

/* ISO 8601: 2026-11-21T09:30:00.000000Z. Returns out. */
const char *instant_print(instant at, char out[INSTANT_TEXT_SIZE]);

/* Whole seconds since 1970 (up to 10 digits), or ISO 8601 date and time, with T or a space, up to six decimals, ending
 * in Z. */
MUST_USE bool instant_parse(struct text text, instant *out);

/* The midnight of a date like 2026-11-21. */
MUST_USE bool instant_parse_day(struct text date, instant *midnight);

#endif
