/* A unix socket on which a program listens. */
#ifndef RECAUDO_BASE_PROCESS_UNIX_LISTENER_H
#define RECAUDO_BASE_PROCESS_UNIX_LISTENER_H

#include "base/base.h"

#include <sys/socket.h>

/* Whether the descriptor is a socket that listens: one that another program has opened for us. */
bool unix_listener_is_open(int descriptor);

/*
 * Makes a socket of that type (SOCK_STREAM or SOCK_SEQPACKET) at `path` with that file mode, in place of one on which
 * nobody listens any more. Returns its descriptor; -1: logged why, also where another process listens there.
 */
MUST_USE int unix_listener_make(const char *path, int type, uint64_t mode);

#endif
