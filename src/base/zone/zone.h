/*
 * Local time: the IANA time zones of the system (package tzdata), read by GLib. libc has one zone per process, set by
 * the variable TZ, which threads cannot change safely. GLib's zones are immutable values that any thread may use.
 *
 * A local time is the reading of a wall clock in the zone, stored in an instant as if it were UTC. Each zone's data is
 * read once; programs must be restarted after an update of tzdata. Names of the machine's own zone (localtime) and of
 * files are no zones.
 */
#ifndef RECAUDO_BASE_ZONE_ZONE_H
#define RECAUDO_BASE_ZONE_ZONE_H

#include "base/clock.h"

/* Size of the name of a zone, with the NUL at the end. Longer names are not remembered. */
enum { ZONE_NAME_SIZE = 65 };

/* Converts a local time of the zone `name`, such as "America/Bogota". A local time that occurs twice, because the clock
 * is put back, means the later one. A local time that is skipped means the moment of the change. Returns false, with
 * *utc unchanged, if the system has no such zone. */
MUST_USE bool zone_to_utc(const char *name, instant local, instant *utc);

/* Converts an instant to the local time of the zone. Returns false if the system has no such zone. */
MUST_USE bool zone_to_local(const char *name, instant utc, instant *local);

#endif
