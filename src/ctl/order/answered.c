#include "ctl/order/answered.h"

#include "ctl/core/failure.h"
#include "store/external/integrations.h"

const char answered_complaint[] =
    "reference: another merchant answers such references itself (recaudoctl integration list)";

enum outcome answered_read(const struct context *context, struct answered *out) {
    enum status status = integrations_read(context->connection, context->arena, &out->integrations, &out->count);
    if (status != STATUS_OK) {
        return fail(context, status, "read which references merchants answer themselves");
    }
    integration_sort(out->integrations, out->count);
    return OUTCOME_DONE;
}

bool answered_by_another(const struct answered *answered, struct text reference, uint64_t merchant_id) {
    return integration_covers(answered->integrations, answered->count, reference, merchant_id);
}

const struct integration *answered_find(const struct answered *answered, struct text reference) {
    return integration_choose(answered->integrations, answered->count, reference, 0);
}
