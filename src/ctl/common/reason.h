/* Why an operator changes something: --reason, for the events that triggers write. */
#ifndef RECAUDO_CTL_COMMON_REASON_H
#define RECAUDO_CTL_COMMON_REASON_H

#include "ctl/core/command.h"

#define REASON_OPTION {.name = "reason", .value = "TEXT", .help = "why, for the event log; at most 250 characters"}

/* Reads --reason; empty without it. Refused when it is no text or too long. */
enum outcome reason_take(const struct context *context, struct text *out);

/* The events of what this command changes from now on have the reason; without one they have none. */
enum outcome reason_give(const struct context *context, struct text reason);

/* Both. */
enum outcome reason_apply(const struct context *context);

#endif
