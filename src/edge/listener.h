/* The listening socket of the workers: inherited, or made here. */
#ifndef RECAUDO_EDGE_LISTENER_H
#define RECAUDO_EDGE_LISTENER_H

#include "base/config/config.h"

struct listener {
    int socket;                       /* non-blocking */
    char path[SOCKET_PATH_BYTES + 1]; /* of the socket made here, which listener_close removes; empty if inherited */
    uint64_t mode;                    /* of that socket */
};

/*
 * Takes the first of these that exists: a listening socket on file descriptor 0 (spawn-fcgi, systemd with
 * StandardInput=socket); a socket passed by systemd (LISTEN_FDS). Otherwise creates config->worker.socket, replacing a
 * socket on which no process listens. False: failed; the reason is logged.
 */
MUST_USE bool listener_open(const struct config *config, struct listener *out);

/* Call after a reload: the socket stays. Warns if the configuration has another one now, which needs a restart. */
void listener_tell_other(const struct listener *listener, const struct config *config);

void listener_close(struct listener *listener);

#endif
