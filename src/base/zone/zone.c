/* Included first, because its headers use functions that base.h forbids. */
#include <glib.h>

#include "base/zone/zone.h"

#include <pthread.h>

enum { ZONES_MAX = 64 };

static struct {
    pthread_mutex_t lock;
    struct {
        char name[ZONE_NAME_SIZE];
        GTimeZone *zone;
    } zones[ZONES_MAX];
    size_t count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static GTimeZone *find_known(const char *name) {
    for (size_t i = 0; i < known.count; i++) {
        if (strcmp(known.zones[i].name, name) == 0) {
            return g_time_zone_ref(known.zones[i].zone);
        }
    }
    return NULL;
}

static void remember_zone(const char *name, GTimeZone *zone) {
    if (known.count < ZONES_MAX && strlen(name) < ZONE_NAME_SIZE) {
        snprintf(known.zones[known.count].name, ZONE_NAME_SIZE, "%s", name);
        known.zones[known.count++].zone = g_time_zone_ref(zone);
    }
}

/* The names of this machine's own zone, and of files, mean another zone on another host. */
static bool is_same_everywhere(const char *name) {
    return name[0] != '/' && strchr(name, '.') == NULL && strcmp(name, "localtime") != 0 &&
           strcmp(name, "posixrules") != 0;
}

/* The caller frees it with g_time_zone_unref. Returns NULL if the zone does not exist. */
static GTimeZone *open_zone(const char *name) {
    if (!is_same_everywhere(name)) {
        return NULL;
    }
    pthread_mutex_lock(&known.lock);
    GTimeZone *zone = find_known(name);
    if (zone == NULL && (zone = g_time_zone_new_identifier(name)) != NULL) {
        remember_zone(name, zone);
    }
    pthread_mutex_unlock(&known.lock);
    return zone;
}

/* Returns whole seconds, rounded down; *rest is the remainder. */
static gint64 split_seconds(instant at, duration *rest) {
    *rest = (at % SECOND + SECOND) % SECOND;
    return (at - *rest) / SECOND;
}

/* Of a reading that occurs twice, finds one: that of standard or of daylight time, if only one of them has it. */
static gint64 find_reading(GTimeZone *zone, GTimeType type, gint64 seconds) {
    gint interval = g_time_zone_adjust_time(zone, type, &seconds);
    return seconds - g_time_zone_get_offset(zone, interval);
}

/* Standard time is not always the later one: Ireland's is its summer time, and Morocco's lasts until Ramadan. */
bool zone_to_utc(const char *name, instant local, instant *utc) {
    GTimeZone *zone = open_zone(name);
    if (zone == NULL) {
        return false;
    }
    duration rest;
    gint64 seconds = split_seconds(local, &rest);
    gint64 standard = find_reading(zone, G_TIME_TYPE_STANDARD, seconds);
    gint64 daylight = find_reading(zone, G_TIME_TYPE_DAYLIGHT, seconds);
    *utc = (standard > daylight ? standard : daylight) * SECOND + rest;
    g_time_zone_unref(zone);
    return true;
}

bool zone_to_local(const char *name, instant utc, instant *local) {
    GTimeZone *zone = open_zone(name);
    if (zone == NULL) {
        return false;
    }
    duration rest;
    gint64 seconds = split_seconds(utc, &rest);
    gint interval = g_time_zone_find_interval(zone, G_TIME_TYPE_UNIVERSAL, seconds);
    *local = (seconds + g_time_zone_get_offset(zone, interval)) * SECOND + rest;
    g_time_zone_unref(zone);
    return true;
}
