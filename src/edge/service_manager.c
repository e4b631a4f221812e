#include "edge/service_manager.h"

#include <inttypes.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

/*
 * RELOADING carries the time, so that systemd takes the next READY as the end of this reload and not of an earlier one.
 */
void service_manager_tell(enum service_message message) {
    switch (message) {
    case SERVICE_READY:
        (void)sd_notify(false, "READY=1");
        break;
    case SERVICE_ALIVE:
        (void)sd_notify(false, "WATCHDOG=1");
        break;
    case SERVICE_RELOADING:
        (void)sd_notifyf(false, "RELOADING=1\nMONOTONIC_USEC=%" PRId64, clock_monotonic());
        break;
    case SERVICE_STOPPING:
        (void)sd_notify(false, "STOPPING=1");
        break;
    }
}

void service_manager_show(const char *format, ...) {
    char words[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    (void)sd_notifyf(false, "STATUS=%s", words);
}

duration service_manager_watchdog(void) {
    uint64_t microseconds;
    return sd_watchdog_enabled(false, &microseconds) > 0 ? (duration)microseconds : 0;
}

bool service_manager_passed_socket(int *out) {
    *out = SD_LISTEN_FDS_START;
    return sd_listen_fds(false) == 1 && sd_is_socket(*out, AF_UNSPEC, SOCK_STREAM, 1) > 0;
}
