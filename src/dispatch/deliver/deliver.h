/* Delivers notifications: leases those that are due, sends many at once, judges the replies and records the outcomes
 * (doc/protocol.md, "Notification"). */
#ifndef RECAUDO_DISPATCH_DELIVER_DELIVER_H
#define RECAUDO_DISPATCH_DELIVER_DELIVER_H

#include "dispatch/run/task_run.h"

/*
 * Run it on a task of the process's loop. Works until the run is over, then gives back what it has leased and not sent.
 * Waits at most delivery_time_to_stop until the attempts in flight have ended and are recorded. A notification whose
 * outcome could not be recorded stays leased, and is sent again when the lease expires.
 */
void deliver(struct task_run *run);

/* How long the end of a run may take: as long as an attempt, and the time to record its outcome. */
duration delivery_time_to_stop(const struct config *config);

#endif
