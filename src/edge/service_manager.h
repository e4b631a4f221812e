/* Messages to systemd (sd_notify(3)), and what it passes to the service. Without systemd these functions do nothing. */
#ifndef RECAUDO_EDGE_SERVICE_MANAGER_H
#define RECAUDO_EDGE_SERVICE_MANAGER_H

#include "base/clock.h"

enum service_message { SERVICE_READY, SERVICE_ALIVE, SERVICE_RELOADING, SERVICE_STOPPING };

void service_manager_tell(enum service_message message);

/* Sets the line that `systemctl status` shows for the service. */
void service_manager_show(const char *format, ...) PRINTF_LIKE(1, 2);

/* Returns the longest time between two SERVICE_ALIVE after which systemd kills the service; 0: no watchdog. */
duration service_manager_watchdog(void);

/*
 * Returns whether systemd passed exactly one file descriptor (LISTEN_FDS), a listening stream socket. Then *out is it.
 */
MUST_USE bool service_manager_passed_socket(int *out);

#endif
