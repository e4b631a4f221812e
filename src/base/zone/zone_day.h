/* Calendar days in a time zone, which may have 23, 24 or 25 hours, or none. */
#ifndef RECAUDO_BASE_ZONE_ZONE_DAY_H
#define RECAUDO_BASE_ZONE_ZONE_DAY_H

#include "base/clock.h"
#include "base/text.h"

/*
 * A day begins when the clock there shows its date for the first time, and ends when the next one begins, so days have
 * no gaps and share nothing. `midnight` is its 00:00 as a local time (see base/zone/zone.h). *begins and *ends are UTC;
 * equal when a zone has left the day out. False when the system has no such zone.
 */
MUST_USE bool zone_day(const char *zone, instant midnight, instant *begins, instant *ends);

/*
 * The last moment up to `now` at which the clock there showed `time` (after midnight, less than a day), once a day: a
 * time that comes twice counts the second time, one that is left out when the clock goes on; 00:00 is the beginning of
 * a day as above. *day: the local midnight of the day that ends there: of 00:00 the day before, else the day itself.
 * False when the system has no such zone.
 */
MUST_USE bool zone_cut(const char *zone, duration time, instant now, instant *cut, instant *day);

/* "18:30" as the time after midnight, 00:00 to 23:59; "off" as ZONE_TIME_OFF. False: neither. */
MUST_USE bool zone_parse_time(struct text text, duration *out);

/* The same text again. Returns out. */
const char *zone_print_time(duration time, char *out, size_t size);

#define ZONE_TIME_OFF ((duration) - 1)

#endif
