/*
 * A prefix of references that was given to one merchant, and an integration of another merchant that answers for some
 * of the same references: the offers of the second would be refused (0109). Neither is set up while the other is there.
 */
#ifndef RECAUDO_CTL_COMMON_PREFIX_OVERLAP_H
#define RECAUDO_CTL_COMMON_PREFIX_OVERLAP_H

#include "ctl/core/command.h"

/* One of the two begins with the other. */
bool prefix_overlap(struct text one, struct text other);

/* Refuses `prefix` for `merchant` when it overlaps the code of an integration in force of another merchant. */
enum outcome prefix_overlap_judge_prefix(const struct context *context, struct text prefix, struct text merchant);

/* Refuses the code of an integration of `merchant` when it overlaps a prefix that was given to another merchant. */
enum outcome prefix_overlap_judge_code(const struct context *context, struct text code, struct text merchant);

#endif
