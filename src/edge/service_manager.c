#include "edge/service_manager.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

/* Under this name systemd keeps connections (FDNAME). */
#define KEPT_NAME "connection"

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

/* Collects the descriptors that systemd passed: those that it has kept for us, or the others. Returns their number. Of
 * those that it has kept, closes what is more than `most`. */
static size_t list_passed(bool kept, int *fds, size_t most) {
    char **names = NULL;
    int passed = sd_listen_fds_with_names(false, &names);
    size_t count = 0;
    for (int i = 0; i < passed; i++) {
        bool wanted = (strcmp(names[i], KEPT_NAME) == 0) == kept;
        if (wanted && count < most) {
            fds[count++] = SD_LISTEN_FDS_START + i;
        } else if (wanted && kept) {
            close(SD_LISTEN_FDS_START + i);
        }
        free(names[i]);
    }
    free(names);
    return count;
}

bool service_manager_passed_socket(int *out) {
    int sockets[2] = {-1, -1};
    bool is_one = list_passed(false, sockets, COUNT_OF(sockets)) == 1;
    *out = sockets[0];
    return is_one && sd_is_socket(*out, AF_UNSPEC, SOCK_STREAM, 1) > 0;
}

bool service_manager_is_there(void) {
    return getenv("NOTIFY_SOCKET") != NULL;
}

void service_manager_keep(const int *connections, size_t count) {
    (void)sd_pid_notify_with_fds(0, false, "FDSTORE=1\nFDNAME=" KEPT_NAME, connections, (unsigned)count);
}

size_t service_manager_take_kept(int *connections, size_t most) {
    size_t count = list_passed(true, connections, most);
    if (count > 0) {
        (void)sd_notify(false, "FDSTOREREMOVE=1\nFDNAME=" KEPT_NAME);
    }
    return count;
}
