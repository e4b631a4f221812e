/* Calendar days in a time zone. A day may have 23, 24 or 25 hours, or be skipped altogether. */
#ifndef RECAUDO_BASE_ZONE_ZONE_DAY_H
#define RECAUDO_BASE_ZONE_ZONE_DAY_H

#include "base/clock.h"
#include "base/text.h"

/*
 * A day begins when the zone's clock first shows its date, and ends when the next day begins, so days neither overlap
 * nor leave gaps. `midnight` is the day's 00:00 as a local time (see base/zone/zone.h). *begins and *ends are UTC; they
 * are equal if the zone skipped the day. False: the system has no such zone.
 */
MUST_USE bool zone_day(const char *zone, instant midnight, instant *begins, instant *ends);

/*
 * Converts a due date to the local time by which people know it: what the zone's clock shows then, but 00:00 where a
 * day begins without showing it. False: the system has no such zone.
 */
MUST_USE bool zone_due(const char *zone, instant due, instant *local);

/*
 * Finds the latest daily cut at or before `now`. The cut of a day is when the zone's clock shows `time` (a time of
 * day): the second time if it occurs twice, the moment of the change if it is skipped, and the beginning of the day, as
 * above, for 00:00. *day is the local midnight of the day that the cut ends: for 00:00 the day before the cut,
 * otherwise the cut's own day. False: the system has no such zone.
 */
MUST_USE bool zone_cut(const char *zone, duration time, instant now, instant *cut, instant *day);

/* Reads "00:00" to "23:59" as the time after midnight, and "off" as ZONE_TIME_OFF. False: anything else. */
MUST_USE bool zone_parse_time(struct text text, duration *out);

/* Prints what zone_parse_time reads. Returns out. */
const char *zone_print_time(duration time, char *out, size_t size);

#define ZONE_TIME_OFF ((duration) - 1)

#endif
