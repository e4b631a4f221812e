#include "dispatch/manager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

/* How much longer systemd's watchdog waits than the parent does before it replaces a process that hangs. */
#define BEYOND (15 * SECOND)

static bool waited_for[TASK_COUNT], expected[TASK_COUNT];

void manager_ready(const bool tasks[TASK_COUNT], duration hang_after) {
    uint64_t patience = 0;
    memcpy(expected, tasks, sizeof expected);
    memcpy(waited_for, tasks, sizeof waited_for);
    if (sd_watchdog_enabled(false, &patience) > 0 && (duration)patience < hang_after + BEYOND) {
        (void)sd_notifyf(false, "WATCHDOG_USEC=%" PRId64, hang_after + BEYOND);
    }
    (void)sd_notify(false, "READY=1");
}

void manager_alive(enum dispatch_task task) {
    waited_for[task] = false;
    for (size_t i = 0; i < TASK_COUNT; i++) {
        if (waited_for[i]) {
            return;
        }
    }
    memcpy(waited_for, expected, sizeof waited_for);
    (void)sd_notify(false, "WATCHDOG=1");
}

void manager_leave(void) {
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}
