/*
 * The parent of the dispatcher's processes. It starts a process for each task, forwards signals, and feeds systemd's
 * watchdog while they make progress. Until the run ends, it replaces processes that were killed or hang. While another
 * task runs, it also replaces one that found the database unreachable. It has no database connection.
 */
#ifndef RECAUDO_DISPATCH_SUPERVISE_H
#define RECAUDO_DISPATCH_SUPERVISE_H

#include "base/config/config.h"
#include "store/operation/dispatchers.h"

struct supervision {
    const struct config *config;
    bool tasks[TASK_COUNT]; /* the tasks to run */
    duration run_for;       /* 0: one pass, task after task, so that the pass also delivers what it settled */
};

/*
 * Returns the worst exit status of the processes (dispatch/task_process.h). A killed process counts as
 * EXIT_LEFT_UNDONE. EXIT_DATABASE counts only if the process was not replaced.
 */
int supervise(const struct supervision *supervision);

#endif
