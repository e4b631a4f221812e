/* The listening socket of the workers: inherited, or made here. */
#ifndef RECAUDO_EDGE_LISTENER_H
#define RECAUDO_EDGE_LISTENER_H

#include "base/config/config.h"

struct listener {
    int socket;     /* non-blocking */
    char path[108]; /* of the socket made here, to be removed at the end; empty when inherited */
};

/*
 * In this order: a listening socket on file descriptor 0 (spawn-fcgi, systemd with StandardInput=socket); one passed by
 * systemd (LISTEN_FDS); else makes config->worker.socket, in place of one that nobody listens on. False: logged why.
 */
MUST_USE bool listener_open(const struct config *config, struct listener *out);

void listener_close(struct listener *listener);

#endif
