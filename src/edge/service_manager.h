/*
 * What systemd is told about the service, where it wants to know: sd_notify(3). Without systemd all of this does
 * nothing.
 */
#ifndef RECAUDO_EDGE_SERVICE_MANAGER_H
#define RECAUDO_EDGE_SERVICE_MANAGER_H

#include "base/clock.h"

enum service_message { SERVICE_READY, SERVICE_ALIVE, SERVICE_RELOADING, SERVICE_STOPPING };

void service_manager_tell(enum service_message message);

/* What `systemctl status` shows of the service, one line. */
void service_manager_show(const char *format, ...) PRINTF_LIKE(1, 2);

/* How long it waits for a SERVICE_ALIVE before it kills the service; 0: for ever. */
duration service_manager_watchdog(void);

/* Whether it has passed exactly one file descriptor, a listening stream socket, and which (LISTEN_FDS). */
MUST_USE bool service_manager_passed_socket(int *out);

#endif
