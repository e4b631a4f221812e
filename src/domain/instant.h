/* Instants as text and as calendar parts, always in UTC. Pure arithmetic; years 1970 to 9999. */
#ifndef RECAUDO_DOMAIN_INSTANT_H
#define RECAUDO_DOMAIN_INSTANT_H

#include "base/clock.h"
#include "base/text.h"

struct civil {
    unsigned year, month, day, hour, minute, second, microsecond;
};

enum { INSTANT_TEXT_SIZE = 32 };

/* False if the parts are not a valid time between 1970 and 9999. Leap seconds are not valid. */
MUST_USE bool instant_of_civil(const struct civil *civil, instant *out);

/* Also converts times before 1970, from year 2 on, such as 31 days before a date of January 1970. */
struct civil instant_to_civil(instant at);

/* Writes ISO 8601: 2026-11-21T09:30:00.000000Z. Returns out. */
const char *instant_print(instant at, char out[INSTANT_TEXT_SIZE]);

/* Writes its date, 2026-11-21, into `out` and returns it. */
struct text instant_date(instant at, char out[INSTANT_TEXT_SIZE]);

/* Reads whole seconds since 1970 (up to 10 digits), or an ISO 8601 date and time in UTC: with T or a space between
 * them, up to six decimals, and Z at the end. False: anything else. */
MUST_USE bool instant_parse(struct text text, instant *out);

/* Reads a date such as 2026-11-21 as its midnight in UTC. False: anything else. */
MUST_USE bool instant_parse_day(struct text date, instant *midnight);

#endif
