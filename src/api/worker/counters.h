/*
 * Counters of all worker processes together, in memory that the first process creates and the others inherit, so that
 * no count is lost when a process ends. Counting costs a few atomic additions and no lock. The counters start at zero
 * with the first process.
 */
#ifndef RECAUDO_API_WORKER_COUNTERS_H
#define RECAUDO_API_WORKER_COUNTERS_H

#include "base/clock.h"
#include "domain/refusal.h"
#include "outbound/external_query.h"
#include "store/pool/pool.h"

enum { COUNTERS_ROUTES_MAX = 32, COUNTERS_PROCESSES_MAX = 64, COUNTERS_BOUNDS = 13 };

/* Upper bounds of a histogram's buckets. */
extern const duration COUNTERS_BOUND[COUNTERS_BOUNDS];

typedef _Atomic uint64_t shared_count;

struct counted_times {
    shared_count buckets[COUNTERS_BOUNDS + 1]; /* the last: above all bounds */
    shared_count sum;                          /* microseconds */
};

struct counted_route {
    shared_count replies[REFUSAL_COUNT]; /* by the meaning of their CODE */
    struct counted_times took;
};

/* Why a lookup did not send the external query that it needed. */
enum withheld { WITHHELD_SHARED, WITHHELD_FULL, WITHHELD_RESTING, WITHHELD_AWAY, WITHHELD_COUNT };

/* A running worker process; all zero if there is none, except its pool's waits and losses, which are kept. */
struct counted_process {
    shared_count runs;
    shared_count beats; /* signs of progress of its loop */
    struct pool_use pool;
};

struct counters {
    instant began_at; /* by the host's clock */
    shared_count process_starts, process_hangs;
    shared_count reload_refused; /* 1: the configuration in use is not that of the last reload */
    shared_count log_lines_dropped;
    struct counted_route routes[COUNTERS_ROUTES_MAX + 1]; /* by number (api/worker/route.h); the last: no route */
    uint64_t refusals_noted[REFUSAL_COUNT]; /* replies that are in the database too; one process alone writes it */
    shared_count queries[QUERY_SILENT + 1];
    struct counted_times queries_took;
    shared_count withheld[WITHHELD_COUNT];
    shared_count worked; /* microseconds that the loops of all processes were at work */
    shared_count waited; /* microseconds that requests waited for merchants */
    struct counted_process processes[COUNTERS_PROCESSES_MAX];
};

/* Memory that the processes which are forked from now on share. It lasts as long as the program. */
struct counters *counters_create(void);

/* For tests. */
void counters_destroy(struct counters *counters);

/* A process begins in this place (0 to COUNTERS_PROCESSES_MAX - 1), or one that was there has ended, however. */
void counters_begin_process(struct counters *counters, size_t place);
void counters_end_process(struct counters *counters, size_t place);

/* The loop of the process whose beats these are makes progress: it is about to wait. */
void counters_beat(shared_count *beats);

/* Each counts one event. `route` is the route's number, or a larger one for no route; `code` is the reply's CODE. */
void counters_note_reply(struct counters *counters, size_t route, const char *code, duration took);

void counters_note_query(struct counters *counters, enum query_outcome outcome, duration took);
void counters_note_withheld(struct counters *counters, enum withheld why);
void counters_note_work(struct counters *counters, duration worked);
void counters_note_wait(struct counters *counters, duration waited);

#endif
