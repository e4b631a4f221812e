/* One process of the dispatcher at work: what its threads share. */
#ifndef RECAUDO_DISPATCH_RUN_TASK_RUN_H
#define RECAUDO_DISPATCH_RUN_TASK_RUN_H

#include "auth/vault.h"
#include "base/config/config.h"
#include "dispatch/run/progress.h"
#include "outbound/address.h"
#include "store/operation/dispatchers.h"
#include "store/pool/pool.h"

/* What was done since the run began. */
struct done {
    atomic_ullong finalised, expired, delivered, to_be_tried_again, exhausted;
};

enum { HOST_NAME_SIZE = 65 };

struct task_run {
    enum task task;
    const struct config *config;
    struct pool *pool;
    struct vault *vault;        /* delivering only: settling has no key */
    struct address_guard guard; /* delivering only */
    char host[HOST_NAME_SIZE];
    uint64_t dispatcher_id;
    bool once;        /* one pass over everything due */
    duration ends_at; /* by the monotonic clock; with `once`, never */
    int stop_event;   /* readable from the moment the run is to end */
    struct progress *progress;
    duration beat_at, report_at;
    atomic_int worst; /* enum status: of what could not be done */
    struct done done;
    struct dispatcher_counts reported, added; /* of it: what was printed, and what the database knows */
};

/* The run is to end: told to stop, or its time is up. */
bool task_run_is_over(const struct task_run *run);

/* Sleeps for `wait`, but not past the end of the run. */
void task_run_sleep(const struct task_run *run, duration wait);

/* The work goes on: called by the thread that does it, at least once for each unit of work. Without it the process is
 * replaced. */
void task_run_progress(const struct task_run *run);

/* Prints one line about what was done since the last report; none when nothing was. */
void task_run_report(struct task_run *run);

/* The same, every 5 s. */
void task_run_report_sometimes(struct task_run *run);

/* From here on the 5 s count. */
void task_run_begin_beats(struct task_run *run);

/* Every 5 s it is due that the database is told that this process lives, and what it has done. */
bool task_run_beat_is_due(const struct task_run *run);
enum status task_run_beat(struct task_run *run, struct connection *connection, uint64_t in_flight);

/* Adds what was done, and the database does not know yet, to the totals of this host. */
enum status task_run_add_to_totals(struct task_run *run, struct connection *connection);

/* Notes that something could not be done; the most serious is kept for the exit code. */
void task_run_note(struct task_run *run, enum status status);

#endif
