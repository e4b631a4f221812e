#include "ctl/common/reason.h"

#include "ctl/core/failure.h"
#include "ctl/core/validation.h"
#include "store/operation/events.h"

const struct option_spec reason_alone[] = {
    REASON_OPTION,
    {.name = NULL},
};

enum outcome reason_take(const struct context *context, size_t most, struct text *out) {
    *out = arguments_get(&context->arguments, "reason");
    if (out->at == NULL) {
        return OUTCOME_DONE;
    }
    const char *complaint = validation_text(context->arena, *out, most);
    return complaint == NULL ? OUTCOME_DONE : refuse(context, "reason: %s", complaint);
}

enum outcome reason_give(const struct context *context, struct text reason) {
    if (reason.size == 0) {
        return OUTCOME_DONE;
    }
    enum status status = events_give_reason(context->connection, reason);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "give the reason");
}

enum outcome reason_apply(const struct context *context, size_t most) {
    struct text reason;
    enum outcome outcome = reason_take(context, most, &reason);
    return outcome == OUTCOME_DONE ? reason_give(context, reason) : outcome;
}
