/* Reports the dispatcher's state to systemd by sd_notify(3). Without systemd these functions do nothing. */
#ifndef RECAUDO_DISPATCH_MANAGER_H
#define RECAUDO_DISPATCH_MANAGER_H

#include "base/clock.h"
#include "store/operation/dispatchers.h"

/* Reports that the service is up with these tasks. Raises the limit of systemd's watchdog (WatchdogSec) if it is
 * shorter than `hang_after`. */
void manager_ready(const bool tasks[TASK_COUNT], duration hang_after);

/* Reports that the process with this task has made progress. Feeds the watchdog once every task has. */
void manager_alive(enum dispatch_task task);

/* Call it in a child process, which must not report anything. */
void manager_leave(void);

#endif
