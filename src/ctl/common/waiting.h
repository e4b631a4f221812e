/* The message about a change that waits for a second user (store/payment/approvals.h). */
#ifndef RECAUDO_CTL_COMMON_WAITING_H
#define RECAUDO_CTL_COMMON_WAITING_H

#include "ctl/core/command.h"

/* Returns the rest of the sentence: why the change waits, and which command approves it. `number` is the approval's; 0:
 * advise `approval list`, which shows it. In the arena. */
static inline const char *waiting_advice(const struct context *context, uint64_t number) {
    static const char APPROVE[] =
        "it needs the approval of a second user, in the console or by recaudoctl approval approve";
    return number == 0 ? arena_print(context->arena, "%s NUMBER --reason TEXT (recaudoctl approval list)", APPROVE).at
                       : arena_print(context->arena, "%s %llu --reason TEXT", APPROVE, (unsigned long long)number).at;
}

#endif
