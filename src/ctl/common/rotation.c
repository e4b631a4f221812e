#include "ctl/common/rotation.h"

#include "ctl/core/failure.h"

#define OVERLAP_USUAL DAY
#define OVERLAP_MAX   (365 * DAY)

static enum outcome read_overlap(const struct context *context, struct rotation *out) {
    struct text overlap = arguments_get(&context->arguments, "overlap");
    if (!config_parse_duration(overlap, &out->overlap) || out->overlap > OVERLAP_MAX) {
        return misuse(context, "--overlap is a duration like 24h, 30m or 0, and at most 365d");
    }
    return OUTCOME_DONE;
}

enum outcome rotation_read(const struct context *context, struct rotation *out) {
    const struct arguments *arguments = &context->arguments;
    bool now = arguments_has(arguments, "now"), has_overlap = arguments_has(arguments, "overlap");
    *out = (struct rotation){arguments_has(arguments, "end"), now ? 0 : OVERLAP_USUAL};
    if (out->ends_only && (now || has_overlap || arguments_has(arguments, "hash-file"))) {
        return misuse(context, "--end makes no new secret: it goes without --overlap, --now and --hash-file");
    }
    if (now && has_overlap) {
        return misuse(context, "only one of --now and --overlap can be given");
    }
    return has_overlap ? read_overlap(context, out) : OUTCOME_DONE;
}

void rotation_remark(const char *name_of_secret, instant until) {
    if (until != 0) {
        remark("the %s from before the last rotation was still good and has ended now", name_of_secret);
    }
}
