/*
 * A reload in progress: a separate process checks the new configuration while the supervisor continues. Used by
 * edge/supervise.c only.
 */
#ifndef RECAUDO_EDGE_RELOAD_H
#define RECAUDO_EDGE_RELOAD_H

#include "edge/supervise.h"

#include <sys/types.h>

struct reload {
    struct supervised *what;
    pid_t checker; /* 0: no check is running */
    duration until;
    bool again;   /* another reload was requested during the check */
    char *reason; /* why the checker refuses; in memory shared with it */
};

struct reload reload_create(struct supervised *what);

/* Starts a reload, on SIGHUP. If a check is running, the new reload starts after it. */
void reload_begin(struct reload *reload);

/* Handles the end of a child process. True: the child was the checker, and the new configuration is now in use. */
bool reload_ended(struct reload *reload, pid_t child, int status);

/* Call once a round: kills a checker that takes too long. */
void reload_look(const struct reload *reload);

/*
 * Kills the checker if one runs; the caller reaps it. No configuration is adopted afterwards: reload_ended returns
 * false for every child.
 */
void reload_destroy(struct reload *reload);

#endif
