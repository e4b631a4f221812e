#include "ctl/status/retention_status.h"

#include "base/zone/zone_day.h"
#include "ctl/core/problem.h"
#include "store/operation/retention.h"
#include "store/payment/settlements.h"

/* Two nights were missed, or one night's walk is still running. */
#define RETENTION_IS_LATE (2 * DAY)

struct kept {
    const char *what;
    duration age;
};

static void judge_walk(struct record_list *problems, const struct kept *kept, const struct retention_walk *walk,
                       duration begun_ago) {
    const char *how = walk->has_ended ? "has not begun" : "has not ended";
    problem_add(problems,
                "the nightly removal of %s %s for %llu hours: journalctl -u recaudo-settle; [retention] "
                "is read anew when the dispatcher starts, every 5 minutes",
                kept->what, how, (unsigned long long)(begun_ago / HOUR));
}

enum status retention_look(const struct context *context, struct connection *connection, struct record_list *problems) {
    const struct config *config = &context->config;
    const struct kept kinds[PURGE_KINDS] = {
        [PURGE_ATTEMPTS] = {"delivery attempts", config->retention.attempts},
        [PURGE_QUERIES] = {"records of external queries", config->retention.queries},
        [PURGE_TRANSACTIONS] = {"transactions' personal data", config->retention.personal},
        [PURGE_ORDERS] = {"orders' personal data", config->retention.personal}};
    struct retention_walk walk;
    instant now = 0;
    bool off = config->retention.begin_at == ZONE_TIME_OFF;
    enum status status = off ? STATUS_OK : settlements_now(connection, &now);
    for (enum purge_kind kind = 0; kind < PURGE_KINDS && status == STATUS_OK && !off; kind++) {
        if (kinds[kind].age == CONFIG_KEPT) {
            continue;
        }
        status = retention_find(connection, kind, &walk);
        if (status == STATUS_OK && now - walk.begun_for > RETENTION_IS_LATE) {
            judge_walk(problems, &kinds[kind], &walk, now - walk.begun_for);
        }
    }
    return status;
}
