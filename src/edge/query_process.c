#include "edge/query_process.h"

#include "base/process/unix_listener.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, BEATS_FD = STDERR_FILENO + 1, OWNER_ALONE = 0600 };

static bool make_beats(struct query_process *process) {
    process->beats_file = memfd_create("beats", MFD_CLOEXEC);
    if (process->beats_file < 0 || ftruncate(process->beats_file, sizeof *process->beats) != 0) {
        return false;
    }
    void *at = mmap(NULL, sizeof *process->beats, PROT_READ | PROT_WRITE, MAP_SHARED, process->beats_file, 0);
    process->beats = at == MAP_FAILED ? NULL : at;
    return at != MAP_FAILED;
}

bool query_process_open(const struct config *config, struct query_process *out) {
    const char *named = getenv("RECAUDO_QUERY_SOCKET");
    *out = (struct query_process){.is_ours = named == NULL, .listener = -1, .beats_file = -1};
    int size = snprintf(out->socket, sizeof out->socket, "%s%s", named == NULL ? config->worker.socket : named,
                        named == NULL ? QUERY_SOCKET_OF_WORKER : "");
    if (size < 0 || (size_t)size >= sizeof out->socket) {
        log_line(LOG_ERROR,
                 "%s: the name of the socket for queries is too long (%d bytes with " QUERY_SOCKET_OF_WORKER ")",
                 out->socket, SOCKET_PATH_BYTES);
        return false;
    }
    if (!out->is_ours) {
        return true;
    }
    if (!make_beats(out)) {
        log_line(LOG_ERROR, "cannot watch over recaudo-query: %s", strerror(errno));
        return false;
    }
    out->listener = unix_listener_make(out->socket, SOCK_SEQPACKET, OWNER_ALONE);
    return out->listener >= 0;
}

void query_process_close(struct query_process *process) {
    if (process->is_ours) {
        close(process->listener);
        unlink(process->socket);
        munmap(process->beats, sizeof *process->beats);
        close(process->beats_file);
    }
}

/* Makes `from` available as `to`, without close-on-exec. They may be the same descriptor. */
static bool hand_over(int from, int to) {
    int there = dup2(from, to);
    return there >= 0 && fcntl(there, F_SETFD, 0) == 0;
}

/* Returns the path of our own program with its name replaced. */
static bool find_program(char out[PATH_BYTES]) {
    static const char NAME[] = "recaudo-query";
    ssize_t size = readlink("/proc/self/exe", out, PATH_BYTES - sizeof NAME);
    if (size < 0) {
        return false;
    }
    while (size > 0 && out[size - 1] != '/') {
        size--;
    }
    memcpy(out + size, NAME, sizeof NAME);
    return true;
}

/*
 * systemd accepts messages from the first process only, so this one must not send any. All other descriptors are
 * closed.
 */
void query_process_become(const struct query_process *process) {
    char path[PATH_BYTES] = "recaudo-query";
    (void)prctl(PR_SET_NAME, path);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    if (find_program(path) && hand_over(process->listener, STDIN_FILENO) && hand_over(process->beats_file, BEATS_FD) &&
        close_range(BEATS_FD + 1, ~0U, 0) == 0 && setenv("RECAUDO_BEATS", "3", true) == 0) {
        execl(path, "recaudo-query", (char *)NULL);
    }
    log_line(LOG_ERROR, "cannot start %s: %s", path, strerror(errno));
}
