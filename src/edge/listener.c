#include "edge/listener.h"

#include "base/process/unix_listener.h"
#include "edge/service_manager.h"

#include <unistd.h>

static bool make_socket(const struct config *config, struct listener *out) {
    out->socket = unix_listener_make(config->worker.socket, SOCK_STREAM, config->worker.socket_mode);
    snprintf(out->path, sizeof out->path, "%s", config->worker.socket);
    return out->socket >= 0;
}

bool listener_open(const struct config *config, struct listener *out) {
    int passed;
    if (unix_listener_is_open(STDIN_FILENO)) {
        *out = (struct listener){STDIN_FILENO, ""};
        return true;
    }
    if (service_manager_passed_socket(&passed)) {
        *out = (struct listener){passed, ""};
        return true;
    }
    return make_socket(config, out);
}

void listener_close(struct listener *listener) {
    close(listener->socket);
    if (listener->path[0] != '\0') {
        unlink(listener->path);
    }
}
