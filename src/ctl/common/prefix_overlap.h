/*
 * A reference prefix of a merchant, or an integration that lets it answer references, must not overlap what another
 * merchant has: its prefixes, its integrations, its orders' references (doc/protocol.md, "Whose a reference is"). The
 * database refuses an overlap too, but cannot say what to do about it.
 */
#ifndef RECAUDO_CTL_COMMON_PREFIX_OVERLAP_H
#define RECAUDO_CTL_COMMON_PREFIX_OVERLAP_H

#include "ctl/core/command.h"
#include "store/external/integrations.h"

/* Whether one of the two begins with the other. */
bool prefix_overlap(struct text one, struct text other);

/* Refuses `prefix` for `merchant` if it overlaps the code of another merchant's integration that is in force. */
enum outcome prefix_overlap_judge_prefix(const struct context *context, struct text prefix, struct text merchant);

/* Refuses an integration of `merchant` if its code overlaps another merchant's prefix or integration in force, or if it
 * would answer the reference of another merchant's order. */
enum outcome prefix_overlap_judge_integration(const struct context *context,
                                              const struct integration_settings *settings, struct text merchant);

#endif
