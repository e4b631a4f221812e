#include "dispatch/run/task_run.h"

#include "base/log.h"

#include <poll.h>

#define EVERY (5 * SECOND) /* heartbeats, and reports */

static bool is_told_to_stop(const struct task_run *run, duration wait) {
    struct pollfd stop = {.fd = run->stop_event, .events = POLLIN};
    return poll(&stop, 1, (int)((wait + MILLISECOND - 1) / MILLISECOND)) > 0;
}

static duration time_left(const struct task_run *run) {
    return run->once ? HOUR : run->ends_at - clock_monotonic();
}

bool task_run_is_over(const struct task_run *run) {
    return time_left(run) <= 0 || is_told_to_stop(run, 0);
}

void task_run_sleep(const struct task_run *run, duration wait) {
    duration left = time_left(run);
    wait = wait < left ? wait : left;
    if (wait > 0) {
        (void)is_told_to_stop(run, wait);
    }
}

void task_run_progress(const struct task_run *run) {
    progress_step(run->progress);
}

static struct dispatcher_counts count(const struct done *done) {
    return (struct dispatcher_counts){.finalised = done->finalised,
                                      .expired = done->expired,
                                      .delivered = done->delivered,
                                      .to_be_tried_again = done->to_be_tried_again,
                                      .exhausted = done->exhausted};
}

static struct dispatcher_counts difference(const struct dispatcher_counts *now,
                                           const struct dispatcher_counts *before) {
    return (struct dispatcher_counts){.finalised = now->finalised - before->finalised,
                                      .expired = now->expired - before->expired,
                                      .delivered = now->delivered - before->delivered,
                                      .to_be_tried_again = now->to_be_tried_again - before->to_be_tried_again,
                                      .exhausted = now->exhausted - before->exhausted};
}

static bool has_any_count(const struct dispatcher_counts *counts) {
    return counts->finalised + counts->expired + counts->delivered + counts->to_be_tried_again + counts->exhausted > 0;
}

void task_run_report(struct task_run *run) {
    struct dispatcher_counts now = count(&run->done), news = difference(&now, &run->reported);
    if (has_any_count(&news)) {
        log_record("done finalised=%llu expired=%llu delivered=%llu to_be_tried_again=%llu exhausted=%llu",
                   (unsigned long long)news.finalised, (unsigned long long)news.expired,
                   (unsigned long long)news.delivered, (unsigned long long)news.to_be_tried_again,
                   (unsigned long long)news.exhausted);
    }
    run->reported = now;
}

void task_run_report_sometimes(struct task_run *run) {
    duration now = clock_monotonic();
    if (now >= run->report_at) {
        task_run_report(run);
        run->report_at = now + EVERY;
    }
}

void task_run_begin_beats(struct task_run *run) {
    run->beat_at = run->report_at = clock_monotonic() + EVERY;
}

bool task_run_beat_is_due(const struct task_run *run) {
    return clock_monotonic() >= run->beat_at;
}

enum status task_run_beat(struct task_run *run, struct connection *connection, uint64_t in_flight) {
    enum status status = dispatchers_beat(connection, run->dispatcher_id, in_flight);
    status = status == STATUS_OK ? task_run_add_to_totals(run, connection) : status;
    /* Counted from the end: where a lock makes each attempt take that long, the work has its turn between two. */
    run->beat_at = clock_monotonic() + EVERY;
    return status;
}

enum status task_run_add_to_totals(struct task_run *run, struct connection *connection) {
    struct dispatcher_counts now = count(&run->done), news = difference(&now, &run->added);
    enum status status = has_any_count(&news) ? dispatchers_add(connection, text_of(run->host), &news) : STATUS_OK;
    if (status == STATUS_OK || status == STATUS_UNSURE) {
        run->added = now; /* better lost than counted twice */
    }
    return status;
}

/* A single pass ends at the failure and does not repeat the work: its database stays unreachable. */
void task_run_note(struct task_run *run, enum status status) {
    if (status == STATUS_AWAY || status == STATUS_UNSURE) {
        atomic_store(&run->is_away, true);
    } else if (status != STATUS_OK) {
        atomic_store(&run->has_failed, true);
    } else if (!run->once) {
        atomic_store(&run->is_away, false);
    }
}
