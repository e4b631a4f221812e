/* One run of the dispatcher: what its two threads, settling and delivering, share. */
#ifndef RECAUDO_DISPATCH_RUN_H
#define RECAUDO_DISPATCH_RUN_H

#include "auth/vault.h"
#include "base/config.h"
#include "outbound/address.h"
#include "store/dispatchers.h"
#include "store/pool.h"

#include <stdatomic.h>

/* What was done since the run began. */
struct done {
    atomic_ullong finalised, expired, delivered, to_be_tried_again, exhausted;
};

enum { HOST_NAME_SIZE = 65 };

struct run {
    const struct config *config;
    struct pool *pool;
    struct vault *vault;
    struct address_guard guard;
    char host[HOST_NAME_SIZE];
    uint64_t dispatcher_id;
    bool once;        /* one pass over everything due */
    duration ends_at; /* by the monotonic clock; with `once`, never */
    int stop_event;   /* readable from the moment the run is to end */
    int due_event;    /* settling has made notifications due */
    atomic_int worst; /* enum status: of what could not be done */
    struct done done;
    struct dispatcher_counts reported, added; /* of it: what was printed, and what the database knows */
};

/* The run is to end: told to stop, or its time is up. */
bool run_is_over(const struct run *run);

/* Sleeps for `wait`, but not past the end of the run. */
void run_sleep(const struct run *run, duration wait);

/* So many have become due: the delivering thread need not wait until it asks the next time. */
void run_wake_delivering(const struct run *run, uint64_t count);

/* Prints one line about what was done since the last report; none when nothing was. */
void run_report(struct run *run);

/* Adds what was done, and the database does not know yet, to the totals of this host. */
enum status run_add_to_totals(struct run *run, struct connection *connection);

/* Notes that something could not be done; the most serious is kept for the exit code. */
void run_note(struct run *run, enum status status);

#endif
