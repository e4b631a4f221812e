/*
 * recaudo-query, the process that asks merchants for the workers (doc/architecture.md): where it listens, and how the
 * first process of recaudo-fcgi starts it where no unit of systemd does.
 */
#ifndef RECAUDO_EDGE_QUERY_PROCESS_H
#define RECAUDO_EDGE_QUERY_PROCESS_H

#include "base/config/config.h"

struct query_process {
    char socket[108]; /* on which it listens */
    bool is_ours;     /* to be started; else $RECAUDO_QUERY_SOCKET named the socket of one that runs by itself */
    int listener;     /* the others are only of one that is ours: it inherits them */
    int beats_file;
    _Atomic uint64_t *beats; /* incremented while it makes progress */
};

/* Finds the socket, or makes it: beside the workers' ([worker] socket, with ".queries" behind it), for our account
 * alone. False: logged why. */
MUST_USE bool query_process_open(const struct config *config, struct query_process *out);
void query_process_close(struct query_process *process);

/* Turns this process into the program, which lies beside ours. Returns only where that fails; logged. */
void query_process_become(const struct query_process *process);

#endif
