/* Why an operator changes something: --reason, for the events that triggers write. */
#ifndef RECAUDO_CTL_COMMON_REASON_H
#define RECAUDO_CTL_COMMON_REASON_H

#include "ctl/core/command.h"

enum { REASON_MAX = 250 }; /* characters, where a command has no shorter one */

#define REASON_OPTION {.name = "reason", .value = "TEXT", .help = "why, for the event log; at most 250 characters"}

/* REASON_OPTION and no other. */
extern const struct option_spec reason_alone[];

/* Reads --reason of at most so many characters; empty without it. Refused when it is no text or too long. */
enum outcome reason_take(const struct context *context, size_t most, struct text *out);

/* The events of what this command changes from now on have the reason; without one they have none. */
enum outcome reason_give(const struct context *context, struct text reason);

/* Both. */
enum outcome reason_apply(const struct context *context, size_t most);

#endif
