#include "ctl/settlement/day.h"

#include "base/zone/zone_day.h"
#include "ctl/core/failure.h"
#include "domain/instant.h"

enum outcome day_cut(const struct context *context, struct text date, struct text zone, struct day *out) {
    instant midnight;
    *out = (struct day){date, zone, 0, 0};
    if (!instant_parse_day(date, &midnight)) {
        return misuse(context, "--date is a day like 2026-11-21");
    }
    if (!zone_day(zone.at, midnight, &out->begins, &out->ends)) {
        return refuse(context, "there is no time zone %.*s: it must be a name like America/Bogota or UTC",
                      TEXT_ARGS(zone));
    }
    if (out->begins == out->ends) {
        return refuse(context, "there was no %.*s in %.*s: its calendar left that day out", TEXT_ARGS(date),
                      TEXT_ARGS(zone));
    }
    return OUTCOME_DONE;
}
