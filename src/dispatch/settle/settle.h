/* Settling: windows that have closed are finalised, overdue orders expire. */
#ifndef RECAUDO_DISPATCH_SETTLE_SETTLE_H
#define RECAUDO_DISPATCH_SETTLE_SETTLE_H

#include "dispatch/run/task_run.h"

/* Passes until the run is over, sleeping until the next thing is due. */
void settle(struct task_run *run);

#endif
