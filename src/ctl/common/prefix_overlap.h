/*
 * A prefix of references that was given to one merchant, or an integration that lets it answer for them, must not take
 * over references of another merchant: its prefix, its integration, or its orders (doc/protocol.md, "Whose a reference
 * is"). The database refuses it too, without saying what to do.
 */
#ifndef RECAUDO_CTL_COMMON_PREFIX_OVERLAP_H
#define RECAUDO_CTL_COMMON_PREFIX_OVERLAP_H

#include "ctl/core/command.h"
#include "store/external/integrations.h"

/* One of the two begins with the other. */
bool prefix_overlap(struct text one, struct text other);

/* Refuses `prefix` for `merchant` when it overlaps the code of an integration in force of another merchant. */
enum outcome prefix_overlap_judge_prefix(const struct context *context, struct text prefix, struct text merchant);

/* Refuses an integration of `merchant` when its code overlaps a prefix or an integration in force of another merchant,
 * or when it would answer for the reference of another merchant's order. */
enum outcome prefix_overlap_judge_integration(const struct context *context,
                                              const struct integration_settings *settings, struct text merchant);

#endif
