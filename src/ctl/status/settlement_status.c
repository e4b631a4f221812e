#include "ctl/status/settlement_status.h"

#include "ctl/core/problem.h"
#include "domain/instant.h"

enum status settlement_zones_judge(const struct context *context, struct connection *connection,
                                   struct record_list *problems) {
    struct settlement_zone last[2];
    enum status status = settlement_zones_look(connection, context->arena, last);
    if (status == STATUS_OK && last[1].number > 0 && !text_equal(last[0].zone, last[1].zone)) {
        problem_add(
            problems,
            "settlements %llu and %llu were closed for days of %.*s and of %.*s: give [settlement] close_at and "
            "zone the same values on every host; after a change of the zone this line goes with the next closing",
            (unsigned long long)last[1].number, (unsigned long long)last[0].number, TEXT_ARGS(last[1].zone),
            TEXT_ARGS(last[0].zone));
    }
    return status;
}

void settlement_day_judge(const struct context *context, const struct settlement_delay *delay,
                          struct record_list *problems) {
    char day[INSTANT_TEXT_SIZE], closed_at[INSTANT_TEXT_SIZE];
    if (delay->taken_at != 0) {
        problem_add(
            problems,
            "the settlement of %.10s in %s was closed at %s, before [settlement] close_at, so the open one stays "
            "open until the next closing: recaudoctl settlement list says who closed it; after a change of "
            "close_at that is right",
            instant_print(delay->day, day), context->config.settlement.zone, instant_print(delay->taken_at, closed_at));
    }
}
