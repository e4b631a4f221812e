/* Durations and schedules in the configuration's notation; config_parse_duration is in base/config/config.h. */
#ifndef RECAUDO_BASE_CONFIG_CONFIG_DURATION_H
#define RECAUDO_BASE_CONFIG_CONFIG_DURATION_H

#include "base/config/config.h"

/* Reads 1 to SCHEDULE_MAX durations separated by spaces. */
MUST_USE bool config_parse_schedule(struct text value, struct schedule *out);

/* Writes a duration in the largest unit that gives a whole number. Returns `out`. */
const char *config_print_duration(duration value, char *out, size_t size);

/* Writes a schedule in the same way. Returns `out`. */
const char *config_print_schedule(const struct schedule *schedule, char *out, size_t size);

#endif
