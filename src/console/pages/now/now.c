#include "console/pages/now/now.h"

#include "console/pages/pages.h"
#include "console/pages/parts.h"
#include "console/pages/query_parts.h"

/* `list`: the page that has what is counted; NULL: none. */
static void put_figure(struct view *view, enum say label, uint64_t count, const char *list) {
    bool is_bound = count >= MEASURES_PAGE_MAX;
    if (list == NULL) {
        markup_fill(view->html, "<div class=\"card\"><h2>{}</h2>", say(view, label));
    } else {
        markup_fill(view->html, "<div class=\"card\"><h2><a href=\"{}\">{}</a></h2>", text_of(list), say(view, label));
    }
    markup_fill(view->html, "<span class=\"figure\">{}{}</span></div>\n", is_bound ? TEXT("≥ ") : TEXT(""),
                view_count(view, count));
}

static void put_figures(struct view *view, const struct measures *m, uint64_t retries) {
    static const char PENDING[] = "/notifications?state=pending", GIVEN_UP[] = "/notifications?state=exhausted";
    markup_add(view->html, "<div class=\"grid figures\">\n");
    put_figure(view, SAY_NOW_DUE, m->due.count, PENDING);
    put_figure(view, SAY_NOW_RETRIES, retries, PENDING);
    put_figure(view, SAY_HELD, m->held.count, PENDING);
    put_figure(view, SAY_GIVEN_UP, m->exhausted, GIVEN_UP);
    put_figure(view, SAY_RESTING_ENDPOINTS, m->resting, "/merchants");
    put_figure(view, SAY_OPEN_WINDOWS, m->windows.count, NULL);
    put_figure(view, SAY_OVERDUE_ORDERS, m->expiries.count, NULL);
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
    struct now_state state;
    enum status status = now_look(view, &state);
    if (status != STATUS_OK) {
        return status;
    }
    const struct measures *measures = state.measures;
    now_put_problems(view, &state);
    put_figures(view, measures, state.retries);
    put_merchants(view, SAY_RESTING_ENDPOINTS, measures->resting_merchants, measures->resting_count);
    put_merchants(view, SAY_REFUSING_ENDPOINTS, measures->refusing_merchants, measures->refusing_count);
    query_put_failed_table(view, &state.failed);
    status = now_put_charts(view, measures->database_clock);
    status = status == STATUS_OK ? now_put_refusals(view) : status;
    status = status == STATUS_OK ? now_put_dispatchers(view) : status;
    status = status == STATUS_OK ? now_put_settlement(view) : status;
    markup_fill(view->html, "<p class=\"quiet small\">{} ", say(view, SAY_AS_OF));
    put_moment(view, measures->database_clock);
    markup_fill(view->html, " ({})</p>\n", text_of(view->zone));
    return status;
}

/* What a merchant's user is to know first: which notifications were given up, whether others arrive, and whether
 * queries are answered. */
static enum status show_merchant(struct view *view) {
    const struct console_reader reader = view_reader(view);
    struct console_merchant merchant;
    struct failed_integrations failed;
    enum status status = console_merchants_find(&reader, view->user->merchant_id, &merchant);
    status = status == STATUS_OK ? query_read_failed(view, &failed) : status;
    status = status == STATUS_OK ? part_given_up(view, view->user->merchant_id) : status;
    if (status != STATUS_OK) {
        return status;
    }
    const struct merchant_settings *settings = &merchant.description.settings;
    static const enum say SAID[] = {[ENDPOINT_NONE] = SAY_NO_ENDPOINT,
                                    [ENDPOINT_RESTS] = SAY_NOW_ENDPOINT_FAILS,
                                    [ENDPOINT_FAILS] = SAY_NOW_ENDPOINT_FAILS,
                                    [ENDPOINT_REFUSES] = SAY_NOW_ENDPOINT_REFUSES,
                                    [ENDPOINT_RETRIES] = SAY_NOW_ENDPOINT_RETRIES,
                                    [ENDPOINT_TEST_FAILED] = SAY_NOW_ENDPOINT_TEST_FAILED,
                                    [ENDPOINT_UNKNOWN] = SAY_NOW_ENDPOINT_UNKNOWN,
                                    [ENDPOINT_WELL] = SAY_NOW_ENDPOINT_WELL};
    enum part_endpoint state = part_endpoint(&merchant);
    instant since = part_endpoint_since(&merchant);
    if (state != ENDPOINT_GAVE_UP) {
        markup_fill(view->html, "<p class=\"note {}\"><strong>{}</strong></p>\n",
                    state == ENDPOINT_WELL ? TEXT("good") : TEXT("waiting"), say(view, SAID[state]));
    }
    query_put_failed_notes(view, &failed);
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
