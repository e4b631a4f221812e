#include "ctl/status/refusal_status.h"

#include "ctl/core/problem.h"
#include "ctl/core/shell_word.h"
#include "store/operation/health.h"

struct refusals {
    struct context *context;
    struct record_list *problems;
};

static void add_refusing(void *context, const struct refusing_merchant *merchant) {
    struct refusals *refusals = context;
    problem_add(refusals->problems,
                "%.*s acknowledges no notification (%llu failed and wait for another attempt, the oldest "
                "for %llu s): recaudoctl notification list --merchant %s; tell the merchant what "
                "`last_attempt` says",
                TEXT_ARGS(merchant->name), (unsigned long long)merchant->failed,
                (unsigned long long)(merchant->oldest / SECOND), shell_word(refusals->context->arena, merchant->name));
}

enum status refusal_look(struct context *context, struct connection *connection, struct record_list *problems) {
    struct refusals refusals = {context, problems};
    return health_refusing(connection, context->arena, add_refusing, &refusals);
}
