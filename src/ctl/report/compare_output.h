/* Prints the differences between a network's list and ours. */
#ifndef RECAUDO_CTL_REPORT_COMPARE_OUTPUT_H
#define RECAUDO_CTL_REPORT_COMPARE_OUTPUT_H

#include "ctl/settlement/day.h"
#include "ctl/settlement/report_format.h"
#include "settlement/comparison.h"

struct compared {
    struct text network;
    struct day first, last; /* the days compared */
    bool is_open;           /* the last day is not over yet */
    size_t lines;
    const struct differences *found;
};

void compare_output(struct arena *arena, const struct compared *compared, enum report_format format);

#endif
