#include "api/worker/service_notes.h"

#include "api/worker/route.h"
#include "store/operation/refusals.h"
#include "store/operation/troubles.h"
#include "store/schema/rights.h"
#include "wire/reply_code.h"

#include <stdatomic.h>
#include <unistd.h>

#define EVERY   (10 * SECOND)
#define AT_MOST (5 * SECOND) /* for one round of writing */

/* Refusals of /readyz report the state of the service and reject nobody's request. */
static bool is_readiness(size_t route) {
    return route < route_count() && strcmp(route_path(route), "/readyz") == 0;
}

static uint64_t count_replies(struct counters *counters, enum refusal refusal) {
    uint64_t count = 0;
    for (size_t route = 0; route < COUNT_OF(counters->routes); route++) {
        count += is_readiness(route) ? 0 : counters->routes[route].replies[refusal];
    }
    return count;
}

/* Counts an uncertain commit as written, so the stored count is never too high. */
static bool note_refusals(struct connection *connection, struct counters *counters, enum refusal refusal) {
    uint64_t more = count_replies(counters, refusal) - counters->refusals_noted[refusal];
    if (more == 0) {
        return true;
    }
    enum status status = refusals_note(connection, reply_code_of(refusal)->code, more);
    if (status == STATUS_OK || status == STATUS_UNSURE) {
        counters->refusals_noted[refusal] += more;
    }
    return status == STATUS_OK;
}

/* What cannot be written is written after the network's next refusal. */
static bool note_refused_networks(struct connection *connection, struct counters *counters, enum refusal refusal) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < COUNTERS_NETWORKS && status == STATUS_OK; i++) {
        uint64_t network_id = atomic_exchange(&counters->refused_networks[refusal][i], 0);
        if (network_id != 0) {
            status = refusals_note_network(connection, network_id, reply_code_of(refusal)->code);
        }
    }
    return status == STATUS_OK;
}

/* Written before the refusals, so a network of which only some requests are refused stays named. */
static void note_served_networks(struct connection *connection, struct counters *counters) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < COUNTERS_SERVED && status == STATUS_OK; i++) {
        uint64_t network_id = atomic_exchange(&counters->served_networks[i], 0);
        if (network_id != 0) {
            status = refusals_note_served(connection, network_id);
        }
    }
}

static void note_all_refusals(struct connection *connection, struct counters *counters) {
    enum refusal refusal = GRANTED + 1;
    while (refusal < REFUSAL_COUNT && note_refusals(connection, counters, refusal) &&
           note_refused_networks(connection, counters, refusal)) {
        refusal++;
    }
}

static bool look_for_missing_rights(struct service_notes *notes, struct connection *connection) {
    struct arena *arena = arena_create();
    struct text missing;
    bool lacked = notes->lack_rights;
    if (rights_missing_for_requests(connection, arena, &missing) == STATUS_OK) {
        notes->lack_rights = missing.size > 0;
    }
    if (notes->lack_rights && !lacked) {
        rights_tell_missing(missing);
    }
    arena_destroy(arena);
    return notes->lack_rights;
}

/* Ignores failures: a state that lasts is written again with the next round. */
static void note_state(struct service_notes *notes, struct connection *connection) {
    char host[HOST_NAME_SIZE] = "";
    gethostname(host, sizeof host - 1);
    (void)workers_note(connection, text_of(host));
    if (notes->service->counters->reload_refused) {
        (void)troubles_note(connection, TROUBLE_RELOAD, text_of(host));
    }
    if (look_for_missing_rights(notes, connection)) {
        (void)troubles_note(connection, TROUBLE_RIGHTS, text_of(host));
    }
}

static void write_notes(void *of_notes) {
    struct service_notes *notes = of_notes;
    struct connection *connection;
    if (pool_take_until(notes->service->pool, clock_monotonic() + AT_MOST, &connection) == STATUS_OK) {
        note_served_networks(connection, notes->service->counters);
        note_all_refusals(connection, notes->service->counters);
        note_state(notes, connection);
        pool_give(notes->service->pool, connection);
    }
    notes->are_idle = true;
    timer_set(&notes->next, clock_monotonic() + EVERY);
}

static void start_writing(struct timer *timer) {
    struct service_notes *notes = OWNER_OF(timer, struct service_notes, next);
    notes->are_idle = false;
    task_start(write_notes, notes);
}

void service_notes_begin(struct service_notes *notes, struct service *service) {
    *notes = (struct service_notes){.next = {.due = start_writing}, .service = service, .are_idle = true};
    timer_set(&notes->next, clock_monotonic() + EVERY);
}

void service_notes_end(struct service_notes *notes) {
    loop_run_until(&notes->are_idle);
    timer_clear(&notes->next);
}
