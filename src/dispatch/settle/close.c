#include "dispatch/settle/close.h"

#include "base/zone/zone_day.h"
#include "domain/instant.h"
#include "domain/settlement.h"

/* How often operations that became final are collected. Closing a settlement collects them too. */
#define COLLECTING SECOND

/* Longest time that a digest delays the next pass. */
#define SUMMING (100 * MILLISECOND)

static enum status collect_operations(const struct task_run *run, struct connection *connection) {
    uint64_t batch = run->config->dispatcher.batch, collected = batch;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && collected == batch && !task_run_is_over(run)) {
        status = closings_collect(connection, batch, &collected);
        task_run_progress(run);
    }
    return status;
}

/*
 * Closes the open settlement for `cut`, unless it was opened by that closing or later. Two statuses of closing_close
 * are no failure: STATUS_CHANGED: another dispatcher has closed it for this cut. STATUS_CLASH: the day has a settlement
 * already, so this one stays open until the next cut.
 */
static enum status close_for(struct connection *connection, struct arena *arena, const struct closing *wanted,
                             instant now) {
    struct settlement_row open;
    struct closing closing = *wanted;
    enum status status = settlements_find_open(connection, arena, &open);
    if (status != STATUS_OK || settlement_follows_cut(open.opened_at, closing.cut, now)) {
        return status;
    }
    closing.number = open.number;
    status = closing_close(connection, &closing);
    if (status == STATUS_OK) {
        log_line(LOG_INFO, "closed settlement %llu of %.*s in %.*s", (unsigned long long)open.number,
                 TEXT_ARGS(closing.day), TEXT_ARGS(closing.zone));
    } else if (status == STATUS_CLASH && open.opened_at <= now) {
        log_line(LOG_WARNING, "settlement %llu stays open until the next cut: %.*s in %.*s has a settlement already",
                 (unsigned long long)open.number, TEXT_ARGS(closing.day), TEXT_ARGS(closing.zone));
    }
    return status == STATUS_CHANGED || status == STATUS_CLASH ? STATUS_OK : status;
}

static enum status close_if_due(const struct task_run *run, struct connection *connection, struct closer *closer) {
    const char *zone = run->config->settlement.zone;
    instant now, cut, day;
    enum status status = settlements_now(connection, &now);
    if (status != STATUS_OK || !zone_cut(zone, run->config->settlement.close_at, now, &cut, &day) ||
        cut == closer->closed_for) {
        return status;
    }
    char text[INSTANT_TEXT_SIZE];
    const struct closing closing = {
        .actor = TEXT("dispatcher"), .day = instant_date(day, text), .zone = text_of(zone), .cut = cut};
    struct arena *arena = arena_create();
    status = close_for(connection, arena, &closing, now);
    arena_destroy(arena);
    if (status == STATUS_OK) {
        closer->closed_for = cut;
    }
    return status;
}

/* Computes the digest for the time of one slice, or with --once to its end. */
static enum status sum_slice(const struct task_run *run, struct connection *connection, struct closer *closer) {
    duration until = clock_monotonic() + SUMMING;
    bool more = true;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && more && (run->once || clock_monotonic() < until) && !task_run_is_over(run)) {
        status = closing_sum_step(connection, &closer->summing, &more);
        task_run_progress(run);
    }
    return status;
}

/* Closing collects too, so a refused collection postpones it. */
static enum status collect_and_close(const struct task_run *run, struct connection *connection, struct closer *closer) {
    enum status status = collect_operations(run, connection);
    if (status == STATUS_OK && run->config->settlement.close_at != ZONE_TIME_OFF) {
        status = close_if_due(run, connection, closer);
    }
    return status;
}

enum status close_step(const struct task_run *run, struct connection *connection, struct closer *closer) {
    duration now = clock_monotonic();
    bool is_time = now >= closer->collect_at;
    enum status status = STATUS_OK;
    if (is_time) {
        closer->collect_at = now + COLLECTING;
        status = collect_and_close(run, connection, closer);
    }
    bool sums = is_time || closer->summing != NULL;
    if (!sums || status_stops_all(status)) {
        return status;
    }
    return status_worse(status, sum_slice(run, connection, closer));
}
