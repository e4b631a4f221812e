#include "console/pages/now/now.h"
#include "console/pages/query_parts.h"
#include "store/operation/health.h"

/* As the alerts: what is due for longer is looked after by nobody. */
#define IS_LATE MINUTE

/* A problem, and what to do about it. */
struct problem {
    bool is_there;
    bool is_theirs; /* a merchant's or a network's trouble, not the service's */
    enum say what, advice;
};

static enum status look_at_alarms(struct view *view, bool alarms[ALARM_COUNT]) {
    enum status status = STATUS_OK;
    for (enum alarming_refusal alarm = 0; alarm < ALARM_COUNT && status == STATUS_OK; alarm++) {
        struct last_refusals last;
        status = refusals_alarm(view->connection, alarm, &alarms[alarm], &last);
    }
    return status;
}

enum status now_look(struct view *view, struct now_state *out) {
    struct measures *measures = arena_alloc(view->arena, sizeof *measures);
    const struct settlement_schedule schedule = {view->config->settlement.zone, view->config->settlement.close_at};
    enum status status = measures_take(view->connection, &schedule, MEASURES_PAGE_MAX, view->arena, measures);
    status = status == STATUS_OK && measures_count_refused(measures) > 0 ? STATUS_FAULT : status;
    *out = (struct now_state){.measures = measures};
    status = status == STATUS_OK ? health_read_only(view->connection, &out->is_read_only) : status;
    status = status == STATUS_OK ? health_retries(view->connection, MEASURES_PAGE_MAX, &out->retries) : status;
    status = status == STATUS_OK ? look_at_alarms(view, out->alarms) : status;
    return status == STATUS_OK ? query_read_failed(view, &out->failed) : status;
}

static bool is_missing(const struct heartbeat *heartbeat) {
    return !heartbeat->seen || heartbeat->ago > HEARTBEAT_AGE_MAX;
}

static bool is_in_trouble(const struct view *view, const struct measures *m, enum trouble trouble) {
    return trouble_is_on(&m->troubles[trouble], trouble, view->config->audit.seal_every);
}

static bool is_retention_late(const struct view *view, const struct measures *m) {
    for (enum purge_kind kind = 0; kind < PURGE_KINDS; kind++) {
        if (retention_age(view->config, kind) != CONFIG_KEPT && m->retention[kind] > RETENTION_IS_LATE) {
            return true;
        }
    }
    return false;
}

static bool is_limit_nearly_used(const struct measures *m) {
    for (size_t i = 0; i < m->limit_count; i++) {
        const struct money_limit *limit = &m->limits[i];
        if (money_bound_is_nearly_used(&limit->day) || money_bound_is_nearly_used(&limit->outstanding)) {
            return true;
        }
    }
    return false;
}

void now_put_problems(struct view *view, const struct now_state *state) {
    const struct measures *m = state->measures;
    const struct problem problems[] = {
        {state->is_read_only, false, SAY_READ_ONLY, SAY_READ_ONLY_ADVICE}, /* the others follow from it */
        {is_in_trouble(view, m, TROUBLE_RIGHTS), false, SAY_RIGHTS, SAY_RIGHTS_ADVICE},
        {state->alarms[ALARM_FAULT], false, SAY_FAULTS, SAY_FAULTS_ADVICE},
        {state->alarms[ALARM_TRY_AGAIN], false, SAY_ANSWERS_LATE, SAY_ANSWERS_LATE_ADVICE},
        {is_in_trouble(view, m, TROUBLE_RELOAD), false, SAY_RELOAD_REFUSED, SAY_RELOAD_REFUSED_ADVICE},
        {is_missing(&m->heartbeats[TASK_SETTLE]), false, SAY_NO_SETTLER, SAY_NO_SETTLER_ADVICE},
        {is_missing(&m->heartbeats[TASK_DELIVER]), false, SAY_NO_DELIVERER, SAY_NO_DELIVERER_ADVICE},
        {is_in_trouble(view, m, TROUBLE_UNRECORDED), false, SAY_UNRECORDED, SAY_UNRECORDED_ADVICE},
        {m->due.oldest > IS_LATE, false, SAY_DUE_LATE, SAY_DUE_LATE_ADVICE},
        {m->stuck.oldest > IS_LATE, false, SAY_STUCK, SAY_DUE_LATE_ADVICE},
        {m->windows.oldest > IS_LATE, false, SAY_WINDOWS_LATE, SAY_NO_SETTLER_ADVICE},
        {m->expiries.oldest > IS_LATE, false, SAY_EXPIRIES_LATE, SAY_NO_SETTLER_ADVICE},
        {m->settlement.uncollected.oldest > IS_LATE, false, SAY_UNCOLLECTED, SAY_NO_SETTLER_ADVICE},
        {m->settlement.closing > IS_LATE, false, SAY_CLOSING_LATE, SAY_NO_SETTLER_ADVICE},
        {is_in_trouble(view, m, TROUBLE_HELD) || is_in_trouble(view, m, TROUBLE_SEAL_FILE), false, SAY_SEALS_HELD,
         SAY_SEALS_HELD_ADVICE},
        {backup_is_old(&m->backup), false, SAY_BACKUP_OLD, SAY_BACKUP_OLD_ADVICE},
        {is_retention_late(view, m), false, SAY_RETENTION_LATE, SAY_NO_SETTLER_ADVICE},
        {m->refused_count > 0, false, SAY_NETWORK_REFUSED, SAY_NETWORK_REFUSED_ADVICE},
        {state->alarms[ALARM_LIMIT], true, SAY_LIMIT_REACHED, SAY_LIMIT_ADVICE},
        {is_limit_nearly_used(m) && !state->alarms[ALARM_LIMIT], true, SAY_LIMIT_NEARLY_USED, SAY_LIMIT_ADVICE},
        {m->exhausted > 0, true, SAY_EXHAUSTED, SAY_EXHAUSTED_ADVICE},
        {m->resting > 0, true, SAY_RESTING, SAY_RESTING_ADVICE},
        {m->refusing_count > 0, true, SAY_REFUSING, SAY_RESTING_ADVICE},
        {state->retries > 0, true, SAY_RETRIES, SAY_RETRIES_ADVICE},
        {query_any_failed(&state->failed, true), true, SAY_SILENT_QUERIES, SAY_SILENT_QUERIES_ADVICE},
        {query_any_failed(&state->failed, false), true, SAY_INVALID_QUERIES, SAY_INVALID_QUERIES_ADVICE},
    };
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(problems); i++) {
        if (problems[i].is_there) {
            markup_fill(view->html, "<p class=\"note {}\"><strong>{}</strong> {}</p>\n",
                        problems[i].is_theirs ? TEXT("waiting") : TEXT("bad"), say(view, problems[i].what),
                        say(view, problems[i].advice));
            count++;
        }
    }
    if (count == 0) {
        markup_fill(view->html, "<p class=\"note good\"><strong>{}</strong> {}</p>\n", say(view, SAY_NOTHING_WRONG),
                    say(view, SAY_NOTHING_WRONG_ADVICE));
    }
}
