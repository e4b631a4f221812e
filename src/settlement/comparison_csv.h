/* The differences between a network's list and ours as CSV. recaudoctl and the console write the same bytes. */
#ifndef RECAUDO_SETTLEMENT_COMPARISON_CSV_H
#define RECAUDO_SETTLEMENT_COMPARISON_CSV_H

#include "settlement/comparison.h"

/* Calls `write` for each line, including its line end. The text is valid during the call only. */
void comparison_write_csv(const struct differences *found, void (*write)(void *context, struct text line),
                          void *context);

#endif
