/* The option --reason: why an operator changes something. Triggers write it into events. */
#ifndef RECAUDO_CTL_COMMON_REASON_H
#define RECAUDO_CTL_COMMON_REASON_H

#include "ctl/core/command.h"
#include "store/operation/events.h"

#define REASON_OPTION {.name = "reason", .value = "TEXT", .help = "why, for the event log; at most 250 characters"}

/* REASON_OPTION alone. */
extern const struct option_spec reason_alone[];

/* Reads --reason of at most `most` characters; empty if not given. Refused if it is not valid text or too long. */
enum outcome reason_take(const struct context *context, size_t most, struct text *out);

/* Sets the reason for the events of all further changes of this command; an empty one means none. */
enum outcome reason_give(const struct context *context, struct text reason);

/* reason_take, then reason_give. */
enum outcome reason_apply(const struct context *context, size_t most);

#endif
