#include "api/worker/counters.h"

#include "wire/reply_code.h"

#include <stdatomic.h>
#include <sys/mman.h>

const duration COUNTERS_BOUND[COUNTERS_BOUNDS] = {1 * MILLISECOND,    2500,
                                                  5 * MILLISECOND,    10 * MILLISECOND,
                                                  25 * MILLISECOND,   50 * MILLISECOND,
                                                  100 * MILLISECOND,  250 * MILLISECOND,
                                                  SECOND / 2,         SECOND,
                                                  2500 * MILLISECOND, 5 * SECOND,
                                                  10 * SECOND};

struct counters *counters_create(void) {
    void *at = mmap(NULL, sizeof(struct counters), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        abort();
    }
    struct counters *counters = at;
    counters->began_at = clock_host();
    return counters;
}

void counters_destroy(struct counters *counters) {
    munmap(counters, sizeof *counters);
}

static void add_count(shared_count *to, uint64_t count) {
    atomic_fetch_add_explicit(to, count, memory_order_relaxed);
}

static void add_time(struct counted_times *times, duration took) {
    size_t bucket = 0;
    while (bucket < COUNTERS_BOUNDS && took > COUNTERS_BOUND[bucket]) {
        bucket++;
    }
    add_count(&times->buckets[bucket], 1);
    add_count(&times->sum, (uint64_t)took);
}

void counters_begin_process(struct counters *counters, size_t place) {
    struct counted_process *process = &counters->processes[place];
    add_count(&counters->process_starts, 1);
    process->beats = 0;
    process->runs = 1;
}

void counters_beat(shared_count *beats) {
    add_count(beats, 1);
}

void counters_end_process(struct counters *counters, size_t place) {
    struct counted_process *process = &counters->processes[place];
    process->runs = 0;
    process->beats = 0;
    process->pool.size = 0;
    process->pool.in_use = 0;
}

void counters_note_reply(struct counters *counters, size_t route, const char *code, duration took) {
    struct counted_route *counted = &counters->routes[route < COUNTERS_ROUTES_MAX ? route : COUNTERS_ROUTES_MAX];
    add_count(&counted->replies[reply_code_meaning(code)], 1);
    add_time(&counted->took, took);
}

void counters_note_refused(struct counters *counters, enum refusal refusal, uint64_t network_id) {
    atomic_store_explicit(&counters->refused_networks[refusal][network_id % COUNTERS_NETWORKS], network_id,
                          memory_order_relaxed);
}

void counters_note_served(struct counters *counters, uint64_t network_id) {
    atomic_store_explicit(&counters->served_networks[network_id % COUNTERS_SERVED], network_id, memory_order_relaxed);
}

void counters_note_query(struct counters *counters, enum query_outcome outcome, duration took) {
    add_count(&counters->queries[outcome], 1);
    add_time(&counters->queries_took, took);
}

void counters_note_withheld(struct counters *counters, enum withheld why) {
    add_count(&counters->withheld[why], 1);
}

void counters_note_work(struct counters *counters, duration worked) {
    add_count(&counters->worked, (uint64_t)worked);
}

void counters_note_wait(struct counters *counters, duration waited) {
    add_count(&counters->waited, (uint64_t)waited);
}
