#include "base/zone_day.h"

#include "base/zone.h"

/* Where the clock is put back across midnight, 00:00 comes twice; zone_to_utc gives the later one. */
static bool first_reading(const char *zone, instant midnight, instant *out) {
    instant later, shown, shown_earlier;
    if (!zone_to_utc(zone, midnight, &later) || !zone_to_local(zone, later - 12 * HOUR, &shown)) {
        return false;
    }
    duration offset_before = shown - (later - 12 * HOUR);
    instant earlier = midnight - offset_before;
    bool comes_twice = earlier < later && zone_to_local(zone, earlier, &shown_earlier) && shown_earlier == midnight;
    *out = comes_twice ? earlier : later;
    return true;
}

bool zone_day(const char *zone, instant midnight, instant *begins, instant *ends) {
    return first_reading(zone, midnight, begins) && first_reading(zone, midnight + DAY, ends);
}
