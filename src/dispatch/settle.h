/* Settling: windows that have closed are finalised, overdue orders expire. */
#ifndef RECAUDO_DISPATCH_SETTLE_H
#define RECAUDO_DISPATCH_SETTLE_H

#include "dispatch/run.h"

/* The settling thread: passes until the run is over, sleeping until the next thing is due. Takes a struct run, returns NULL. */
void *settle_thread(void *of_run);

#endif
