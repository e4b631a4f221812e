/*
 * recaudo-query, the process that asks merchants for the workers (doc/architecture.md): the socket on which it listens,
 * and how the first process of recaudo-fcgi starts it if it does not run as a service of its own.
 */
#ifndef RECAUDO_EDGE_QUERY_PROCESS_H
#define RECAUDO_EDGE_QUERY_PROCESS_H

#include "base/config/config.h"

struct query_process {
    char socket[SOCKET_PATH_BYTES + 1]; /* path of its listening socket */
    bool is_ours; /* we start it; otherwise it runs by itself, and $RECAUDO_QUERY_SOCKET is its socket */
    int listener; /* inherited by the process; this and the following only if is_ours */
    int beats_file;
    _Atomic uint64_t *beats; /* incremented while it makes progress */
};

/*
 * Uses the socket that is named in the environment. Otherwise creates one, for our account only, at the path of the
 * workers' socket ([worker] socket) with ".queries" appended. False: failed; the reason is logged.
 */
MUST_USE bool query_process_open(const struct config *config, struct query_process *out);
void query_process_close(struct query_process *process);

/* Executes recaudo-query, from the directory of our own program. Returns only on failure, which is logged. */
void query_process_become(const struct query_process *process);

#endif
