/* What systemd is told about the dispatcher, where it wants to know: sd_notify(3). Without systemd all of this does
 * nothing. */
#ifndef RECAUDO_DISPATCH_MANAGER_H
#define RECAUDO_DISPATCH_MANAGER_H

#include "base/clock.h"
#include "store/operation/dispatchers.h"

/* The service is up, with these tasks. Where systemd's watchdog (WatchdogSec) would be less patient than `hang_after`,
 * it waits longer. */
void manager_ready(const bool tasks[TASK_COUNT], duration hang_after);

/* The process with this task has made progress. The watchdog is told once every one has. */
void manager_alive(enum task task);

/* This process is a child: it has nothing to say. */
void manager_leave(void);

#endif
