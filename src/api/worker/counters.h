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

enum {
    COUNTERS_ROUTES_MAX = 32,
    COUNTERS_PROCESSES_MAX = 64,
    COUNTERS_BOUNDS = 13,
    COUNTERS_NETWORKS = 64,
    COUNTERS_SERVED = 1024
};

/* Upper bounds of a histogram's buckets. */
extern const duration COUNTERS_BOUND[COUNTERS_BOUNDS];

typedef _Atomic uint64_t shared_count;

struct counted_times {
    shared_count buckets[COUNTERS_BOUNDS + 1]; /* the last: above all bounds */
    shared_count sum;                          /* microseconds */
};

struct counted_route {
    shared_count replies[REFUSAL_COUNT]; /* by enum refusal */
    struct counted_times took;
};

/* Why a lookup did not send the external query that it needed. */
enum withheld { WITHHELD_SHARED, WITHHELD_FULL, WITHHELD_RESTING, WITHHELD_AWAY, WITHHELD_COUNT };

/* A running worker process. If there is none, all zero except the waits and refusals of its pool, which are kept. */
struct counted_process {
    shared_count runs;
    shared_count beats; /* progress of its loop */
    struct pool_use pool;
};

struct counters {
    instant began_at; /* by the host's clock */
    shared_count process_starts, process_deaths, process_hangs;
    shared_count reload_refused; /* 1: the last reload was refused, so an older configuration is in use */
    shared_count log_lines_dropped;
    struct counted_route routes[COUNTERS_ROUTES_MAX + 1]; /* by number (api/worker/route.h); the last: no route */
    uint64_t refusals_noted[REFUSAL_COUNT]; /* replies already counted in the database; written by one process only */
    /* The id of a network that was refused since the last look, by CODE and by id modulo COUNTERS_NETWORKS; 0: none.
     * The last one wins. */
    shared_count refused_networks[REFUSAL_COUNT][COUNTERS_NETWORKS];
    /* The same of networks whose requests passed, by id modulo COUNTERS_SERVED. */
    shared_count served_networks[COUNTERS_SERVED];
    shared_count queries[QUERY_SILENT + 1];
    struct counted_times queries_took;
    shared_count withheld[WITHHELD_COUNT];
    shared_count worked; /* microseconds that the loops of all processes have worked */
    shared_count waited; /* microseconds that requests have waited for merchants */
    struct counted_process processes[COUNTERS_PROCESSES_MAX];
};

/* Returns counters in memory that all processes forked later share. They last as long as the program. */
struct counters *counters_create(void);

/* For tests. */
void counters_destroy(struct counters *counters);

/* Call when a process begins in `place` (0 to COUNTERS_PROCESSES_MAX - 1), and after it has ended for any reason. */
void counters_begin_process(struct counters *counters, size_t place);
void counters_end_process(struct counters *counters, size_t place);

/* Counts progress of the process that has these beats. Call before each wait of its loop. */
void counters_beat(shared_count *beats);

/*
 * Each counts one event or adds one time. `route` is the route's number, or a larger one for no route; `code` is the
 * reply's CODE.
 */
void counters_note_reply(struct counters *counters, size_t route, const char *code, duration took);

/* A request in the name of this network was refused. */
void counters_note_refused(struct counters *counters, enum refusal refusal, uint64_t network_id);

/* A request of this network was neither forged nor sent from a wrong address. */
void counters_note_served(struct counters *counters, uint64_t network_id);

void counters_note_query(struct counters *counters, enum query_outcome outcome, duration took);
void counters_note_withheld(struct counters *counters, enum withheld why);
void counters_note_work(struct counters *counters, duration worked);
void counters_note_wait(struct counters *counters, duration waited);

#endif
