/*
 * Local time: the IANA time zones of the system (package tzdata), read by GLib. libc knows one zone per process, by the
 * variable TZ, which several threads cannot set; GLib's zones are values of their own that never change, so any number
 * of threads may use any of them.
 *
 * A local time is the reading of the wall clock there, held as an instant as if it were UTC. What the system knows of a
 * zone is read once; after an update of tzdata the program is restarted.
 */
#ifndef RECAUDO_BASE_ZONE_ZONE_H
#define RECAUDO_BASE_ZONE_ZONE_H

#include "base/clock.h"

/* "America/Bogota". False when the system has no such zone; *utc is then unchanged. A reading that comes twice, because
 * the clock is put back, is the later one; one that is left out is the moment at which the clock goes on. */
MUST_USE bool zone_to_utc(const char *name, instant local, instant *utc);

/* The wall clock's reading at an instant. False when the system has no such zone. */
MUST_USE bool zone_to_local(const char *name, instant utc, instant *local);

#endif
