#include "edge/listener.h"

#include "edge/service_manager.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A full queue on a unix socket refuses at once, which the customer sees as 502. */
enum { WAITING_CONNECTIONS = 4096 };

static bool is_listening(int fd) {
    int listening = 0;
    socklen_t size = sizeof listening;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) == 0 && listening;
}

static bool somebody_listens(const struct sockaddr_un *address) {
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answered = probe >= 0 && connect(probe, (const struct sockaddr *)address, sizeof *address) == 0;
    close(probe);
    return answered;
}

static bool make_socket(const struct config *config, struct listener *out) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", config->worker.socket);
    if (somebody_listens(&address)) {
        log_line(LOG_ERROR, "%s: another worker listens there already", config->worker.socket);
        return false;
    }
    unlink(config->worker.socket);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    mode_t before = umask((mode_t)(~config->worker.socket_mode & 0777));
    bool bound = made >= 0 && bind(made, (const struct sockaddr *)&address, sizeof address) == 0 &&
                 listen(made, WAITING_CONNECTIONS) == 0;
    int error = errno;
    umask(before);
    if (!bound) {
        log_line(LOG_ERROR, "%s: cannot listen: %s", config->worker.socket, strerror(error));
        close(made);
        return false;
    }
    out->socket = made;
    memcpy(out->path, address.sun_path, sizeof out->path);
    return true;
}

bool listener_open(const struct config *config, struct listener *out) {
    int passed;
    if (is_listening(STDIN_FILENO)) {
        *out = (struct listener){STDIN_FILENO, ""};
    } else if (service_manager_passed_socket(&passed)) {
        *out = (struct listener){passed, ""};
    } else if (!make_socket(config, out)) {
        return false;
    }
    int flags = fcntl(out->socket, F_GETFL);
    return flags >= 0 && fcntl(out->socket, F_SETFL, flags | O_NONBLOCK) == 0;
}

void listener_close(struct listener *listener) {
    close(listener->socket);
    if (listener->path[0] != '\0') {
        unlink(listener->path);
    }
}
