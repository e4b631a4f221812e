#include "edge/listener.h"

#include "base/log.h"
#include "base/process/unix_listener.h"
#include "edge/service_manager.h"

#include <unistd.h>

static bool make_socket(const struct config *config, struct listener *out) {
    out->socket = unix_listener_make(config->worker.socket, SOCK_STREAM, config->worker.socket_mode);
    snprintf(out->path, sizeof out->path, "%s", config->worker.socket);
    out->mode = config->worker.socket_mode;
    return out->socket >= 0;
}

bool listener_open(const struct config *config, struct listener *out) {
    int passed;
    if (unix_listener_is_open(STDIN_FILENO)) {
        *out = (struct listener){STDIN_FILENO, "", 0};
        return true;
    }
    if (service_manager_passed_socket(&passed)) {
        *out = (struct listener){passed, "", 0};
        return true;
    }
    return make_socket(config, out);
}

void listener_tell_other(const struct listener *listener, const struct config *config) {
    bool is_ours = listener->path[0] != '\0';
    if (is_ours &&
        (strcmp(listener->path, config->worker.socket) != 0 || listener->mode != config->worker.socket_mode)) {
        log_line(LOG_WARNING,
                 "[worker] socket or socket_mode has changed: recaudo-fcgi listens on %s, mode %04o, until it is "
                 "restarted",
                 listener->path, (unsigned)listener->mode);
    }
}

void listener_close(struct listener *listener) {
    close(listener->socket);
    if (listener->path[0] != '\0') {
        unlink(listener->path);
    }
}
