/*
 * The parent of the dispatcher's processes: starts one for each task, passes signals on, replaces those that were
 * killed or hang while the time of the run lasts, and tells systemd's watchdog that they make progress. It opens no
 * connection itself.
 */
#ifndef RECAUDO_DISPATCH_SUPERVISE_H
#define RECAUDO_DISPATCH_SUPERVISE_H

#include "base/config/config.h"
#include "store/operation/dispatchers.h"

struct supervision {
    const struct config *config;
    bool tasks[TASK_COUNT]; /* which ones */
    duration run_for;       /* 0: one pass, the tasks one after the other, so that what is settled is delivered too */
};

/* Returns the worst exit status of the processes (dispatch/task_process.h); one that was killed has left something
 * undone. */
int supervise(const struct supervision *supervision);

#endif
