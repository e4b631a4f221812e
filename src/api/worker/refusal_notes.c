#include "api/worker/refusal_notes.h"

#include "store/operation/refusals.h"
#include "wire/reply_code.h"

#define EVERY   (10 * SECOND)
#define AT_MOST (5 * SECOND) /* for what is written at once */

static uint64_t count_replies(struct counters *counters, enum refusal refusal) {
    uint64_t count = 0;
    for (size_t route = 0; route < COUNT_OF(counters->routes); route++) {
        count += counters->routes[route].replies[refusal];
    }
    return count;
}

/* Of a commit whose outcome is open, the count is taken for written: it is never too great. */
static bool note(struct connection *connection, struct counters *counters, enum refusal refusal) {
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

static void write_notes(void *of_notes) {
    struct refusal_notes *notes = of_notes;
    struct connection *connection;
    if (pool_take_until(notes->service->pool, clock_monotonic() + AT_MOST, &connection) == STATUS_OK) {
        enum refusal refusal = GRANTED + 1;
        while (refusal < REFUSAL_COUNT && note(connection, notes->service->counters, refusal)) {
            refusal++;
        }
        pool_give(notes->service->pool, connection);
    }
    notes->are_idle = true;
    timer_set(&notes->next, clock_monotonic() + EVERY);
}

static void start_writing(struct timer *timer) {
    struct refusal_notes *notes = (struct refusal_notes *)((char *)timer - offsetof(struct refusal_notes, next));
    notes->are_idle = false;
    task_start(write_notes, notes);
}

void refusal_notes_begin(struct refusal_notes *notes, struct service *service) {
    *notes = (struct refusal_notes){.next = {.due = start_writing}, .service = service, .are_idle = true};
    timer_set(&notes->next, clock_monotonic() + EVERY);
}

void refusal_notes_end(struct refusal_notes *notes) {
    loop_run_until(&notes->are_idle);
    timer_clear(&notes->next);
}
