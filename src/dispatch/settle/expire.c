#include "dispatch/settle/expire.h"

#include "store/order/expiry.h"

/* Shortest time per order in microseconds, for all threads together. */
#define PER_ORDER ((duration)550)

/* Longest sleep, so that the thread that began the round can finalise payments meanwhile. */
#define LONGEST_SLEEP (100 * MILLISECOND)

void expiry_begin(struct expiry *expiry, struct task_run *run) {
    *expiry = (struct expiry){.run = run};
}

static void count_expired(struct expiry *expiry, uint64_t expired) {
    expiry->expired += expired;
    expiry->run->done.expired += expired;
}

/* Expires a batch, or sleeps until it is due. *next_at belongs to the calling thread: when its next batch is due. */
static enum status step(struct expiry *expiry, struct connection *connection, duration *next_at, bool *more) {
    uint64_t batch = expiry->run->config->dispatcher.batch, expired = 0;
    duration now = clock_monotonic(), wait = *next_at - now;
    if (wait > 0) {
        task_run_sleep(expiry->run, wait < LONGEST_SLEEP ? wait : LONGEST_SLEEP);
        return STATUS_OK;
    }
    enum status status = expiry_run(connection, batch, &expired);
    *more = status == STATUS_OK && expired == batch;
    *next_at = now + (duration)expired * PER_ORDER * (1 + EXPIRY_HELPERS);
    count_expired(expiry, expired);
    return status;
}

static void *help(void *of_expiry) {
    struct expiry *expiry = of_expiry;
    struct connection *connection;
    duration next_at = 0;
    bool more = true;
    enum status status = pool_take(expiry->run->pool, &connection);
    if (status == STATUS_OK) {
        while (status == STATUS_OK && more && !task_run_is_over(expiry->run)) {
            status = step(expiry, connection, &next_at, &more);
        }
        pool_give(expiry->run->pool, connection);
    }
    task_run_note(expiry->run, status);
    return NULL;
}

/* Starts the helpers. If some or all cannot be started, expiring takes longer. */
static void call_helpers(struct expiry *expiry) {
    while (expiry->helper_count < EXPIRY_HELPERS &&
           pthread_create(&expiry->helpers[expiry->helper_count], NULL, help, expiry) == 0) {
        expiry->helper_count++;
    }
}

static enum status expire_singly(struct expiry *expiry, struct connection *connection, bool *more) {
    uint64_t before = expiry->singly.written;
    enum status status = expiry_run_each(connection, ONE_BY_ONE, &expiry->singly);
    count_expired(expiry, expiry->singly.written - before);
    *more = status == STATUS_OK && !expiry->singly.has_ended;
    return status;
}

enum status expiry_step(struct expiry *expiry, struct connection *connection, bool *more) {
    task_run_progress(expiry->run);
    *more = true;
    if (expiry->goes_singly) {
        return expire_singly(expiry, connection, more);
    }
    enum status status = step(expiry, connection, &expiry->next_at, more);
    if (status != STATUS_OK && !status_stops_all(status) && !connection_met_read_only(connection)) {
        task_run_note(expiry->run, status);
        expiry->goes_singly = true;
        return expire_singly(expiry, connection, more);
    }
    if (*more && expiry->expired > 0 && expiry->helper_count == 0) {
        call_helpers(expiry);
    }
    return status;
}

void expiry_end(struct expiry *expiry) {
    for (size_t i = 0; i < expiry->helper_count; i++) {
        pthread_join(expiry->helpers[i], NULL);
    }
}
