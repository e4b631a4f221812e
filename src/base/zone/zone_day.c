#include "base/zone/zone_day.h"

#include "base/zone/zone.h"

/* Finds the first occurrence of 00:00. If the clock is put back across midnight, 00:00 occurs twice, and zone_to_utc
 * returns the later one. */
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

bool zone_due(const char *zone, instant due, instant *local) {
    instant begins;
    if (!zone_to_local(zone, due, local)) {
        return false;
    }
    instant midnight = *local - *local % DAY;
    if (first_reading(zone, midnight, &begins) && begins == due) {
        *local = midnight;
    }
    return true;
}

/* Finds the cut at `time` of the day that begins at the local time `midnight`. */
static bool cut_of(const char *zone, instant midnight, duration time, instant *out) {
    return time == 0 ? first_reading(zone, midnight, out) : zone_to_utc(zone, midnight + time, out);
}

bool zone_cut(const char *zone, duration time, instant now, instant *cut, instant *day) {
    instant local, midnight, before;
    if (!zone_to_local(zone, now, &local)) {
        return false;
    }
    midnight = local - local % DAY + DAY;
    while (cut_of(zone, midnight, time, cut) && *cut > now) {
        midnight -= DAY;
    }
    while (cut_of(zone, midnight - DAY, time, &before) && before == *cut) {
        midnight -= DAY; /* the zone skipped this day */
    }
    *day = time == 0 ? midnight - DAY : midnight;
    return true;
}

bool zone_parse_time(struct text text, duration *out) {
    uint64_t hour, minute;
    *out = ZONE_TIME_OFF;
    if (text_equal(text, TEXT("off"))) {
        return true;
    }
    bool is_time = text.size == 5 && text.at[2] == ':' && text_to_number((struct text){text.at, 2}, &hour) &&
                   text_to_number((struct text){text.at + 3, 2}, &minute) && hour < 24 && minute < 60;
    *out = is_time ? (duration)hour * HOUR + (duration)minute * MINUTE : ZONE_TIME_OFF;
    return is_time;
}

const char *zone_print_time(duration time, char *out, size_t size) {
    if (time == ZONE_TIME_OFF) {
        snprintf(out, size, "off");
    } else {
        snprintf(out, size, "%02d:%02d", (int)(time / HOUR), (int)(time % HOUR / MINUTE));
    }
    return out;
}
