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

/* Returns whether systemd passed exactly one socket (LISTEN_FDS), which listens for streams. Then *out is it. */
MUST_USE bool service_manager_passed_socket(int *out);

/* Returns whether there is a service manager that takes messages. It may keep connections, too. */
bool service_manager_is_there(void);

/*
 * Has systemd keep these connections until this service is started again. The caller closes its own descriptors.
 * systemd closes those for which FileDescriptorStoreMax leaves no room, and all when the service is stopped.
 */
void service_manager_keep(const int *connections, size_t count);

/*
 * Takes the connections that systemd has kept, at most `most`, and closes the others. They are the caller's,
 * close-on-exec; systemd keeps them no longer. Returns their number. Call once.
 */
size_t service_manager_take_kept(int *connections, size_t most);

#endif
