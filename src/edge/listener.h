/* The listening socket of the workers: inherited, or made here. */
#ifndef RECAUDO_EDGE_LISTENER_H
#define RECAUDO_EDGE_LISTENER_H

#include "base/config/config.h"

struct listener {
    int socket;     /* non-blocking */
    char path[108]; /* of the socket made here, to be removed at the end; empty when inherited */
};

/*
 * Takes the first of these that exists: a listening socket on file descriptor 0 (spawn-fcgi, systemd with
 * StandardInput=socket); a socket passed by systemd (LISTEN_FDS). Otherwise creates config->worker.socket, replacing a
 * socket on which nobody listens. False: the reason is logged.
 */
MUST_USE bool listener_open(const struct config *config, struct listener *out);

void listener_close(struct listener *listener);

#endif
