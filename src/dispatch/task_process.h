/* One task of the dispatcher in a process of its own: settling, which only uses the database, or delivering. */
#ifndef RECAUDO_DISPATCH_TASK_PROCESS_H
#define RECAUDO_DISPATCH_TASK_PROCESS_H

#include "dispatch/run/progress.h"
#include "store/operation/dispatchers.h"

/* Exit statuses of the program, see recaudo-dispatch(8). */
enum { EXIT_WORKED, EXIT_LEFT_UNDONE, EXIT_USAGE, EXIT_DATABASE };

struct task_process {
    enum dispatch_task task;
    const struct config *config;
    bool once;        /* one pass over everything due */
    duration ends_at; /* by the monotonic clock; unused with `once` */
    struct progress *progress;
};

/* Returns the database account of a task. */
const struct account_config *task_process_account(const struct config *config, enum dispatch_task task);

/* Works until the run is over or SIGTERM or SIGINT arrives. Returns the exit status. */
int task_process_run(const struct task_process *process);

#endif
