#include "dispatch/close.h"

#include "base/zone_day.h"
#include "domain/instant.h"
#include "settlement/closing.h"

/* How often what became final is collected. A closing collects by itself. */
#define COLLECTING SECOND

static enum status collect(const struct run *run, struct connection *connection) {
    uint64_t batch = run->config->dispatcher.batch, collected = batch;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && collected == batch && !run_is_over(run)) {
        status = closings_collect(connection, batch, &collected);
    }
    return status;
}

/* STATUS_NONE and STATUS_CLASH: another one has closed it for this cut, or it was opened after it. */
static enum status close_for(struct connection *connection, struct arena *arena, const char *zone, instant cut,
                             instant day) {
    struct settlement_row open;
    char text[INSTANT_TEXT_SIZE];
    enum status status = settlements_find_open(connection, arena, &open);
    if (status != STATUS_OK || open.opened_at >= cut) {
        return status;
    }
    const struct closing closing = {.number = open.number,
                                    .actor = TEXT("dispatcher"),
                                    .day = {instant_print(day, text), sizeof "2026-11-21" - 1},
                                    .zone = text_of(zone),
                                    .cut = cut};
    status = closing_close(connection, &closing);
    if (status == STATUS_OK) {
        log_line(LOG_INFO, "closed settlement %llu of %.*s in %s", (unsigned long long)open.number,
                 TEXT_ARGS(closing.day), zone);
    }
    return status == STATUS_NONE || status == STATUS_CLASH ? STATUS_OK : status;
}

static enum status close_if_due(const struct run *run, struct connection *connection, struct closer *closer) {
    const char *zone = run->config->settlement.zone;
    instant now, cut, day;
    enum status status = settlements_now(connection, &now);
    if (status != STATUS_OK || !zone_cut(zone, run->config->settlement.close_at, now, &cut, &day) ||
        cut == closer->closed_for) {
        return status;
    }
    struct arena *arena = arena_create();
    status = close_for(connection, arena, zone, cut, day);
    arena_destroy(arena);
    if (status == STATUS_OK) {
        closer->closed_for = cut;
    }
    return status;
}

enum status close_step(const struct run *run, struct connection *connection, struct closer *closer) {
    duration now = clock_monotonic();
    if (now < closer->collect_at) {
        return STATUS_OK;
    }
    closer->collect_at = now + COLLECTING;
    enum status status = collect(run, connection);
    if (status == STATUS_OK && run->config->settlement.close_at != ZONE_TIME_OFF) {
        status = close_if_due(run, connection, closer);
    }
    return status == STATUS_OK ? closing_sum_all(connection) : status;
}
