/* The day named by --date and --zone. */
#ifndef RECAUDO_CTL_SETTLEMENT_DAY_H
#define RECAUDO_CTL_SETTLEMENT_DAY_H

#include "ctl/core/command.h"

struct day {
    struct text date, zone; /* 2026-11-21, America/Bogota */
    instant begins, ends;   /* UTC */
};

#define ZONE_OPTION                                                                                                    \
    {.name = "zone", .value = "IANA", .help = "time zone that cuts the days, America/Bogota for example"}

/* Refused if the zone does not exist, or has no such day. */
enum outcome day_cut(const struct context *context, struct text date, struct text zone, struct day *out);

#endif
