/* A reload on its way: what was read is checked by a process of its own, while the supervisor goes on. For
 * edge/supervise.c. */
#ifndef RECAUDO_EDGE_RELOAD_H
#define RECAUDO_EDGE_RELOAD_H

#include "edge/supervise.h"

#include <sys/types.h>

struct reload {
    struct supervised *what;
    pid_t checker; /* 0: nothing is being checked */
    duration until;
    bool again;   /* another one was asked for meanwhile */
    char *reason; /* why the checker refuses, in memory that it shares */
};

struct reload reload_create(struct supervised *what);

/* On SIGHUP. One that comes while another is being checked follows it. */
void reload_begin(struct reload *reload);

/* A child has ended. True: it was the checker, and what was read is in use from now on. */
bool reload_ended(struct reload *reload, pid_t child, int status);

/* Once a round: ends a check that takes too long. */
void reload_look(const struct reload *reload);

/*
 * Kills the checker if one runs; the caller reaps it. Nothing is adopted afterwards: reload_ended returns false for
 * every child.
 */
void reload_destroy(struct reload *reload);

#endif
