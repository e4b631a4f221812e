/* Settling: finalises payments, expires orders, closes settlements, removes old records, seals the event log. */
#ifndef RECAUDO_DISPATCH_SETTLE_SETTLE_H
#define RECAUDO_DISPATCH_SETTLE_SETTLE_H

#include "dispatch/run/task_run.h"

/* Makes passes until the run is over, and sleeps until the next work is due. */
void settle(struct task_run *run);

#endif
