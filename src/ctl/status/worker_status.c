#include "ctl/status/worker_status.h"

#include "ctl/core/problem.h"
#include "store/operation/troubles.h"

/* Workers note every ten seconds that they serve. */
#define SILENCE MINUTE

struct workers {
    struct arena *arena;
    struct record_list *shown, *problems;
    bool are_somewhere;
    bool were_somewhere;
};

static bool is_silence(duration ago) {
    return ago == SERVED_UNKNOWN || ago > SILENCE;
}

static void add_silence(const struct workers *workers, const char *where, duration ago, const char *until) {
    const char *time = ago == SERVED_UNKNOWN
                           ? "since the database's clock was set back"
                           : arena_print(workers->arena, "for %llu s", (unsigned long long)(ago / SECOND)).at;
    problem_add(workers->problems,
                "no workers were seen on %s %s: there, systemctl status recaudo-fcgi and journalctl -u recaudo-fcgi%s",
                where, time, until);
}

static void judge_host_among_others(const struct workers *workers, struct text host, duration ago) {
    if (is_silence(ago) && ago <= DAY) {
        const char *until = arena_print(workers->arena,
                                        "; where none is to run any more, as the owner, DELETE FROM last_done WHERE "
                                        "what = 'serving' AND host = '%.*s'%s",
                                        TEXT_ARGS(host), ago == SERVED_UNKNOWN ? "" : "; or this line goes after a day")
                                .at;
        add_silence(workers, arena_print(workers->arena, "%.*s", TEXT_ARGS(host)).at, ago, until);
    }
}

/* Hosts come in order of their last sign of life, the most recent first. */
static void judge_host(void *context, struct text host, duration ago) {
    struct workers *workers = context;
    if (ago != SERVED_UNKNOWN && ago <= DAY) {
        struct record *record = record_list_add(workers->shown);
        record_text(record, "host", host);
        record_number(record, "seconds_ago", (uint64_t)(ago / SECOND));
    }
    if (!workers->were_somewhere && is_silence(ago)) {
        add_silence(workers, "any host", ago, "");
    } else if (workers->are_somewhere) {
        judge_host_among_others(workers, host, ago);
    }
    workers->were_somewhere = true;
    workers->are_somewhere |= !is_silence(ago);
}

enum status workers_look(const struct context *context, struct connection *connection, struct record *record,
                         struct record_list *problems) {
    struct workers workers = {.arena = context->arena, .shown = record_list(record, "workers"), .problems = problems};
    return workers_hosts(connection, context->arena, judge_host, &workers);
}
