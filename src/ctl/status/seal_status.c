#include "ctl/status/seal_status.h"

#include "audit/seal_check.h"
#include "audit/sealing.h"
#include "ctl/core/problem.h"

/* Checks only the newest seals, so that status is fast. */
enum { SEALS_CHECKED = 5, INTERVALS = 2 };

static void ignore_finding(void *context, const struct seal_finding *finding) {
    (void)context;
    (void)finding;
}

static enum status check_newest(const struct context *context, struct connection *connection, uint64_t newest,
                                uint64_t *findings) {
    const struct sealing_rules rules = {.every = context->config.audit.seal_every};
    struct seal_counts counts;
    const struct seal_check check = {.connection = connection,
                                     .from = newest > SEALS_CHECKED ? newest - SEALS_CHECKED + 1 : 1,
                                     .searched_for = sealing_searched_for(&rules),
                                     .find = ignore_finding};
    enum status status = seal_check_run(&check, &counts);
    *findings = status == STATUS_OK ? counts.findings : 0;
    return status;
}

enum status seals_look(const struct context *context, struct connection *connection, struct record *record,
                       struct record_list *problems, uint64_t late_seconds) {
    struct seal_row newest = {.number = 0};
    duration wait = 0;
    uint64_t findings = 0;
    duration every = context->config.audit.seal_every;
    enum status status = seals_last(connection, context->arena, &newest);
    status = status == STATUS_NONE ? STATUS_OK : status;
    status = status == STATUS_OK ? seals_wait(connection, &wait) : status;
    status = status == STATUS_OK ? check_newest(context, connection, newest.number, &findings) : status;
    if (status != STATUS_OK) {
        return status;
    }
    struct record *seals = record_record(record, "seals");
    uint64_t waits = (uint64_t)(wait / SECOND);
    record_number(seals, "newest", newest.number);
    record_number(seals, "oldest_unsealed_seconds", waits);
    if (every != CONFIG_KEPT && waits > late_seconds + (uint64_t)(INTERVALS * every / SECOND)) {
        problem_add(problems,
                    "the event log is not sealed: the oldest event without a seal waits for %llu s: "
                    "journalctl -u recaudo-settle",
                    (unsigned long long)waits);
    }
    if (findings > 0) {
        problem_add(problems,
                    "the event log does not fit its newest seals: recaudoctl audit verify says what was changed");
    }
    return STATUS_OK;
}
