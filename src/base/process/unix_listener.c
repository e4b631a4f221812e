#include "base/process/unix_listener.h"

#include "base/log.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A unix socket with a full queue refuses connections at once, and users see 502. */
enum { WAITING_CONNECTIONS = 4096 };

bool unix_listener_is_open(int descriptor) {
    int listening = 0;
    socklen_t size = sizeof listening;
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
}

/* If somebody listens, or that cannot be found out, returns false and logs it. EAGAIN: the queue of a process that
 * hangs is full. EPROTOTYPE: a process listens with another type. */
static bool nobody_listens(const struct sockaddr_un *address, int type) {
    int probe = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (probe < 0) {
        log_line(LOG_ERROR, "%s: cannot listen: %s", address->sun_path, strerror(errno));
        return false;
    }
    bool answered = connect(probe, (const struct sockaddr *)address, sizeof *address) == 0 || errno == EAGAIN ||
                    errno == EPROTOTYPE;
    close(probe);
    if (answered) {
        log_line(LOG_ERROR, "%s: another process listens there already", address->sun_path);
    }
    return !answered;
}

static int bind_socket(const struct sockaddr_un *address, int type, uint64_t mode) {
    int made = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    mode_t before = umask((mode_t)(~mode & 0777));
    bool bound = made >= 0 && bind(made, (const struct sockaddr *)address, sizeof *address) == 0 &&
                 listen(made, WAITING_CONNECTIONS) == 0;
    int error = errno;
    umask(before);
    if (!bound) {
        log_line(LOG_ERROR, "%s: cannot listen: %s", address->sun_path, strerror(error));
        close(made);
        return -1;
    }
    return made;
}

static bool is_something_else(const char *path) {
    struct stat found;
    return lstat(path, &found) == 0 && !S_ISSOCK(found.st_mode);
}

int unix_listener_make(const char *path, int type, uint64_t mode) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (!nobody_listens(&address, type)) {
        return -1;
    }
    if (is_something_else(path)) {
        log_line(LOG_ERROR, "%s: is no socket: name another path, or remove it if nothing needs it", path);
        return -1;
    }
    unlink(path);
    return bind_socket(&address, type, mode);
}
