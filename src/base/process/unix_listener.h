/* A program's listening unix socket. */
#ifndef RECAUDO_BASE_PROCESS_UNIX_LISTENER_H
#define RECAUDO_BASE_PROCESS_UNIX_LISTENER_H

#include "base/base.h"

#include <sys/socket.h>

/* Whether the descriptor is a listening socket, opened for us by another program. */
bool unix_listener_is_open(int descriptor);

/*
 * Creates a socket of that type (SOCK_STREAM or SOCK_SEQPACKET) at `path` with that file mode. Replaces a socket on
 * which no process listens any longer. Returns its descriptor, or -1 after logging why: for example, another process
 * listens there, or what is there is no socket and stays.
 */
MUST_USE int unix_listener_make(const char *path, int type, uint64_t mode);

#endif
