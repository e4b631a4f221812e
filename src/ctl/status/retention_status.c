#include "ctl/status/retention_status.h"

#include "ctl/core/problem.h"
#include "store/operation/retention.h"
#include "store/payment/settlements.h"

static void judge_walk(struct record_list *problems, enum purge_kind kind, const struct retention_walk *walk,
                       duration begun_ago) {
    const char *how = walk->has_ended ? "has not begun" : "has not ended";
    problem_add(problems,
                "the nightly removal of %s %s for %llu hours: journalctl -u recaudo-settle; [retention] "
                "is read anew when the dispatcher starts, every 5 minutes",
                retention_words(kind), how, (unsigned long long)(begun_ago / HOUR));
}

enum status retention_look(const struct context *context, struct connection *connection, struct record_list *problems) {
    struct retention_walk walk;
    instant now = 0;
    enum status status = settlements_now(connection, &now);
    for (enum purge_kind kind = 0; kind < PURGE_KINDS && status == STATUS_OK; kind++) {
        if (retention_age(&context->config, kind) == CONFIG_KEPT) {
            continue;
        }
        status = retention_find(connection, kind, &walk);
        if (status == STATUS_OK && now - walk.begun_for > RETENTION_IS_LATE) {
            judge_walk(problems, kind, &walk, now - walk.begun_for);
        }
    }
    return status;
}
