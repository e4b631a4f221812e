#include "dispatch/run.h"

#include <poll.h>
#include <sys/eventfd.h>

static bool is_told_to_stop(const struct run *run, duration wait) {
    struct pollfd stop = {.fd = run->stop_event, .events = POLLIN};
    return poll(&stop, 1, (int)((wait + MILLISECOND - 1) / MILLISECOND)) > 0;
}

static duration time_left(const struct run *run) {
    return run->once ? HOUR : run->ends_at - clock_monotonic();
}

bool run_is_over(const struct run *run) {
    return time_left(run) <= 0 || is_told_to_stop(run, 0);
}

void run_sleep(const struct run *run, duration wait) {
    duration left = time_left(run);
    wait = wait < left ? wait : left;
    if (wait > 0) {
        (void)is_told_to_stop(run, wait);
    }
}

void run_wake_delivering(const struct run *run, uint64_t count) {
    if (count > 0) {
        eventfd_write(run->due_event, 1);
    }
}

static unsigned long long take(atomic_ullong *count) {
    return atomic_exchange(count, 0);
}

void run_report(struct run *run) {
    struct done *done = &run->done;
    unsigned long long finalised = take(&done->finalised), expired = take(&done->expired);
    unsigned long long delivered = take(&done->delivered), again = take(&done->to_be_tried_again);
    unsigned long long exhausted = take(&done->exhausted);
    if (finalised + expired + delivered + again + exhausted > 0) {
        printf("finalised %llu, expired %llu, delivered %llu, to be tried again %llu, exhausted %llu\n", finalised,
               expired, delivered, again, exhausted);
        fflush(stdout);
    }
}

/* The database that is away outweighs work that could not be done: it is why. */
void run_note(struct run *run, enum status status) {
    bool away = status == STATUS_AWAY || status == STATUS_UNSURE;
    int worst = atomic_load(&run->worst);
    if (status != STATUS_OK && (away || worst == STATUS_OK)) {
        atomic_store(&run->worst, away ? STATUS_AWAY : STATUS_FAULT);
    }
}
