/* Delivers notifications: leases those that are due, sends many at once, judges the replies and records the outcomes
 * (doc/protocol.md, "Notification"). */
#ifndef RECAUDO_DISPATCH_DELIVER_DELIVER_H
#define RECAUDO_DISPATCH_DELIVER_DELIVER_H

#include "dispatch/run/task_run.h"

/*
 * On a task of the process's loop. Works until the run is over, then gives back what it has leased and not sent, and
 * waits at most 10 s for notifications in flight. Notifications whose outcome could not be recorded stay leased, and
 * are sent again when the lease ends.
 */
void deliver(struct task_run *run);

#endif
