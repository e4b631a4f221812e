/* Delivering: due notifications are claimed, sent many at once, judged and recorded (doc/protocol.md, "Notification").
 */
#ifndef RECAUDO_DISPATCH_DELIVER_DELIVER_H
#define RECAUDO_DISPATCH_DELIVER_DELIVER_H

#include "dispatch/run/task_run.h"

/*
 * Until the run is over, then until what is in flight has ended, at most 10 s. What it could not record stays leased
 * and is taken up again when the lease ends.
 */
void deliver(struct task_run *run);

#endif
