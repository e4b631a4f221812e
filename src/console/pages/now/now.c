#include "console/pages/now/now.h"

#include "console/pages/pages.h"
#include "console/pages/parts.h"
#include "console/pages/silence.h"

#include "store/operation/health.h"
#include "store/operation/measures.h"

/* As the alerts: what is due for longer is looked after by nobody. */
#define IS_LATE    MINUTE
#define IS_MISSING (3 * MINUTE)

/* A problem, and what to do about it. */
struct problem {
    bool is_there;
    bool is_theirs; /* a merchant's trouble, not the service's */
    enum say what, advice;
};

static bool is_missing(const struct heartbeat *heartbeat) {
    return !heartbeat->seen || heartbeat->ago > IS_MISSING;
}

/* Neither of the two shown here goes by the interval of seals. */
static bool is_in_trouble(const struct measures *m, enum trouble trouble) {
    return trouble_is_on(&m->troubles[trouble], trouble, CONFIG_KEPT);
}

/* What is looked at beside the measures. */
struct looked_at {
    bool is_read_only;
    uint64_t retries;
    struct silent_merchant *silent;
};

static enum status look_beside(struct view *view, struct looked_at *out) {
    enum status status = health_read_only(view->connection, &out->is_read_only);
    status = status == STATUS_OK ? health_retries(view->connection, MEASURES_PAGE_MAX, &out->retries) : status;
    return status == STATUS_OK ? silence_read(view, &out->silent) : status;
}

static void put_problems(struct view *view, const struct measures *m, const struct looked_at *looked) {
    const struct problem problems[] = {
        {looked->is_read_only, false, SAY_READ_ONLY, SAY_READ_ONLY_ADVICE}, /* the others follow from it */
        {is_in_trouble(m, TROUBLE_RIGHTS), false, SAY_RIGHTS, SAY_RIGHTS_ADVICE},
        {is_missing(&m->heartbeats[TASK_SETTLE]), false, SAY_NO_SETTLER, SAY_NO_SETTLER_ADVICE},
        {is_missing(&m->heartbeats[TASK_DELIVER]), false, SAY_NO_DELIVERER, SAY_NO_DELIVERER_ADVICE},
        {is_in_trouble(m, TROUBLE_UNRECORDED), false, SAY_UNRECORDED, SAY_UNRECORDED_ADVICE},
        {m->due.oldest > IS_LATE, false, SAY_DUE_LATE, SAY_DUE_LATE_ADVICE},
        {m->stuck.oldest > IS_LATE, false, SAY_STUCK, SAY_DUE_LATE_ADVICE},
        {m->windows.oldest > IS_LATE, false, SAY_WINDOWS_LATE, SAY_NO_SETTLER_ADVICE},
        {m->expiries.oldest > IS_LATE, false, SAY_EXPIRIES_LATE, SAY_NO_SETTLER_ADVICE},
        {m->settlement.closing > IS_LATE, false, SAY_CLOSING_LATE, SAY_NO_SETTLER_ADVICE},
        {m->exhausted > 0, true, SAY_EXHAUSTED, SAY_EXHAUSTED_ADVICE},
        {m->resting > 0, true, SAY_RESTING, SAY_RESTING_ADVICE},
        {m->refusing_count > 0, true, SAY_REFUSING, SAY_RESTING_ADVICE},
        {looked->retries > 0, true, SAY_RETRIES, SAY_RETRIES_ADVICE},
        {looked->silent != NULL, true, SAY_SILENT_QUERIES, SAY_SILENT_QUERIES_ADVICE},
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
        markup_fill(view->html, "<p class=\"note good\"><strong>{}</strong></p>\n", say(view, SAY_ALL_WELL));
    }
}

static void put_figure(struct view *view, enum say label, uint64_t count) {
    bool is_bound = count >= MEASURES_PAGE_MAX;
    markup_fill(view->html, "<div class=\"card\"><h2>{}</h2><span class=\"figure\">{}{}</span></div>\n",
                say(view, label), is_bound ? TEXT("≥ ") : TEXT(""), view_count(view, count));
}

static void put_figures(struct view *view, const struct measures *m, uint64_t retries) {
    markup_add(view->html, "<div class=\"grid figures\">\n");
    put_figure(view, SAY_NOW_DUE, m->due.count);
    put_figure(view, SAY_NOW_RETRIES, retries);
    put_figure(view, SAY_HELD, m->held.count);
    put_figure(view, SAY_GIVEN_UP, m->exhausted);
    put_figure(view, SAY_RESTING_ENDPOINTS, m->resting);
    put_figure(view, SAY_OPEN_WINDOWS, m->windows.count);
    put_figure(view, SAY_OVERDUE_ORDERS, m->expiries.count);
    markup_add(view->html, "</div>\n");
}

static void put_merchants(struct view *view, enum say title, const struct merchant_trouble *merchants, size_t count) {
    static const enum say COLUMNS[] = {SAY_MERCHANT, SAY_NONE};
    if (count == 0) {
        return;
    }
    put_table(view, title, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        markup_fill(view->html, "<tr><td><bdi>{}</bdi></td></tr>\n", merchants[i].name);
    }
    put_table_end(view);
}

static enum status show_service(struct view *view) {
    struct measures *measures = arena_alloc(view->arena, sizeof *measures);
    const struct settlement_schedule schedule = {view->config->settlement.zone, view->config->settlement.close_at};
    enum status status = measures_take(view->connection, &schedule, MEASURES_PAGE_MAX, view->arena, measures);
    status = status == STATUS_OK && measures_count_refused(measures) > 0 ? STATUS_FAULT : status;
    struct looked_at looked = {0};
    status = status == STATUS_OK ? look_beside(view, &looked) : status;
    if (status != STATUS_OK) {
        return status;
    }
    put_problems(view, measures, &looked);
    put_figures(view, measures, looked.retries);
    put_merchants(view, SAY_RESTING_ENDPOINTS, measures->resting_merchants, measures->resting_count);
    put_merchants(view, SAY_REFUSING_ENDPOINTS, measures->refusing_merchants, measures->refusing_count);
    silence_put_table(view, looked.silent);
    status = now_put_charts(view, measures->database_clock);
    status = status == STATUS_OK ? now_put_refusals(view) : status;
    status = status == STATUS_OK ? now_put_dispatchers(view) : status;
    status = status == STATUS_OK ? now_put_settlement(view) : status;
    markup_fill(view->html, "<p class=\"quiet small\">{} ", say(view, SAY_AS_OF));
    put_moment(view, measures->database_clock);
    markup_fill(view->html, " ({})</p>\n", text_of(view->zone));
    return status;
}

/* What a merchant's user is to know first: whether notifications arrive, and queries are answered. */
static enum status show_merchant(struct view *view) {
    const struct console_reader reader = view_reader(view);
    struct console_merchant merchant;
    struct silent_merchant *silent;
    enum status status = console_merchants_find(&reader, view->user->merchant_id, &merchant);
    status = status == STATUS_OK ? silence_read(view, &silent) : status;
    if (status != STATUS_OK) {
        return status;
    }
    const struct merchant_settings *settings = &merchant.description.settings;
    static const enum say SAID[] = {[ENDPOINT_NONE] = SAY_NO_ENDPOINT,
                                    [ENDPOINT_RESTS] = SAY_NOW_ENDPOINT_FAILS,
                                    [ENDPOINT_FAILS] = SAY_NOW_ENDPOINT_FAILS,
                                    [ENDPOINT_REFUSES] = SAY_NOW_ENDPOINT_REFUSES,
                                    [ENDPOINT_RETRIES] = SAY_NOW_ENDPOINT_RETRIES,
                                    [ENDPOINT_WELL] = SAY_NOW_ENDPOINT_WELL};
    enum part_endpoint state = part_endpoint(&merchant);
    instant since = part_endpoint_since(&merchant);
    markup_fill(view->html, "<p class=\"note {}\"><strong>{}</strong></p>\n",
                state == ENDPOINT_WELL ? TEXT("good") : TEXT("waiting"), say(view, SAID[state]));
    silence_put_note(view, silent);
    markup_add(view->html, "<section><dl class=\"facts\">\n");
    put_fact(view, SAY_MERCHANT, merchant.description.name);
    put_fact(view, SAY_COMMERCE, settings->commerce);
    put_fact(view, SAY_ENDPOINT, settings->notify_url);
    put_fact(view, SAY_FAILING_SINCE, since != 0 ? view_moment(view, since) : TEXT(""));
    markup_add(view->html, "</dl></section>\n");
    return STATUS_OK;
}

enum status page_now(struct view *view) {
    view->title = say(view, SAY_NOW);
    return view->user->role == ROLE_MERCHANT ? show_merchant(view) : show_service(view);
}
