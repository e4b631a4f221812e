/* Calendar days in a time zone, which may have 23, 24 or 25 hours, or none. */
#ifndef RECAUDO_BASE_ZONE_DAY_H
#define RECAUDO_BASE_ZONE_DAY_H

#include "base/clock.h"

/*
 * A day begins when the clock there shows its date for the first time, and ends when the next one begins, so days have no gaps and share
 * nothing. `midnight` is its 00:00 as a local time (see base/zone.h). *begins and *ends are UTC; equal when a zone has left the day out.
 * False when the system has no such zone.
 */
bool zone_day(const char *zone, instant midnight, instant *begins, instant *ends);

#endif
