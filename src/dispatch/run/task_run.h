/* The state that the threads of a dispatcher process share. */
#ifndef RECAUDO_DISPATCH_RUN_TASK_RUN_H
#define RECAUDO_DISPATCH_RUN_TASK_RUN_H

#include "auth/vault.h"
#include "base/config/config.h"
#include "dispatch/run/progress.h"
#include "outbound/address.h"
#include "store/operation/dispatchers.h"
#include "store/pool/pool.h"

/* Counts since the run began. */
struct done {
    atomic_ullong finalised, expired, delivered, to_be_tried_again, exhausted;
};

struct task_run {
    enum dispatch_task task;
    const struct config *config;
    struct pool *pool;
    struct vault *vault;        /* delivering only: settling has no key */
    struct address_guard guard; /* delivering only */
    char host[HOST_NAME_SIZE];
    uint64_t dispatcher_id;
    bool once;        /* one pass over everything due */
    duration ends_at; /* by the monotonic clock; with `once`, never */
    int stop_event;   /* becomes readable when the run must end */
    int signals;      /* becomes readable when a signal to end it arrives */
    struct progress *progress;
    duration beat_at, report_at;
    atomic_bool has_failed, is_away; /* work failed; the database was unreachable when it was last asked */
    struct done done;
    struct dispatcher_counts reported, added; /* parts of `done` already printed, and already added to the database */
};

/* True if the run must end, because it was told to stop or its time is up. */
bool task_run_is_over(const struct task_run *run);

/* Sleeps for `wait`, but not past the end of the run. Records no progress, so any thread may call it. */
void task_run_sleep(const struct task_run *run, duration wait);

/* Records progress. Only the working thread calls it, at least once for each unit of work and for each sleep; otherwise
 * the process is replaced. */
void task_run_progress(const struct task_run *run);

/* Logs one line about the work since the last report, or nothing if there was none. */
void task_run_report(struct task_run *run);

/* The same, at most every 5 s. */
void task_run_report_sometimes(struct task_run *run);

/* Starts the 5 s intervals of reports and beats. */
void task_run_begin_beats(struct task_run *run);

/* A beat tells the database that this process is alive and what it has done. True every 5 s: a beat is due. */
bool task_run_beat_is_due(const struct task_run *run);
enum status task_run_beat(struct task_run *run, struct connection *connection, uint64_t in_flight);

/* Adds the counts that the database does not have yet to the totals of this host. */
enum status task_run_add_to_totals(struct task_run *run, struct connection *connection);

/*
 * Records the outcome of work with the database, for the exit status. The database is no longer away once work
 * succeeds.
 */
void task_run_note(struct task_run *run, enum status status);

#endif
