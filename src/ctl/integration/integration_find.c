#include "ctl/integration/integration_find.h"

#include "ctl/core/failure.h"

enum outcome integration_find(const struct context *context, struct text word, struct integration_row *out) {
    uint64_t id;
    enum status status = STATUS_NONE;
    if (text_to_number(word, &id)) {
        status = integrations_describe(context->connection, id, context->arena, out);
    }
    if (status == STATUS_NONE) {
        return refuse(context, "there is no integration %.*s (see recaudoctl integration list --removed)",
                      TEXT_ARGS(word));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the integration");
}

enum outcome integration_refuse_removed(const struct context *context, uint64_t id) {
    return refuse(context, "integration %llu has already been removed", (unsigned long long)id);
}

enum outcome integration_find_in_force(const struct context *context, struct integration_row *out) {
    enum outcome outcome = integration_find(context, context->arguments.words[0], out);
    return outcome == OUTCOME_DONE && out->removed_at != 0 ? integration_refuse_removed(context, out->id) : outcome;
}
