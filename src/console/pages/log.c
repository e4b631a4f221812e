#include "console/pages/pages.h"
#include "console/pages/parts.h"
#include "store/console/events.h"
#include "store/console/places.h"

enum { LOG_PAGE_ROWS = 100 };

static const char *const SUBJECTS[] = {"order",       "transaction", "account", "network",  "merchant",  "notification",
                                       "integration", "setting",     "user",    "approval", "settlement"};

struct log_page {
    struct view *view;
    struct console_reader reader;
    struct console_event_filter filter;
    struct console_place place;
    struct text from, to;
    size_t shown;
    bool has_wrong_day;
};

/* The page of what changed; a subject without one is only named. */
static void put_subject(struct view *view, const struct console_event *event) {
    static const char *const WITH_PAGE[] = {"order", "transaction", "network", "merchant", "notification"};
    for (size_t i = 0; i < COUNT_OF(WITH_PAGE); i++) {
        if (text_equal(event->subject, text_of(WITH_PAGE[i]))) {
            markup_fill(view->html, "<td><a href=\"/{}s/{}\">{} {}</a></td>", event->subject,
                        part_number(view, event->subject_id), event->subject, part_number(view, event->subject_id));
            return;
        }
    }
    markup_fill(view->html, "<td>{} {}</td>", event->subject, part_number(view, event->subject_id));
}

static bool put_event_row(void *context, const struct console_event *event) {
    struct log_page *page = context;
    struct view *view = page->view;
    const struct event *row = &event->event;
    markup_add(view->html, "<tr><th scope=\"row\">");
    put_moment(view, row->at);
    markup_add(view->html, "</th>");
    part_text_cell(view, view_actor(view, row->actor));
    put_subject(view, event);
    markup_fill(view->html, "<td>{}</td><td>{}{}{}</td>", row->what, row->from,
                row->from.size > 0 && row->to.size > 0 ? TEXT(" → ") : TEXT(""), row->to);
    bool is_made = text_equal(row->what, TEXT("references")); /* "prefix 880 given", by the database */
    markup_fill(view->html, "<td><bdi>{}</bdi> <code>{}</code></td></tr>\n",
                is_made ? row->reason : view_reason(view, row->reason), row->changes);
    page->shown++;
    return page->shown < LOG_PAGE_ROWS;
}

static void read_filter(struct log_page *page) {
    const struct view *view = page->view;
    const struct console_request *request = view->request;
    struct console_event_filter *filter = &page->filter;
    instant other;
    filter->subject = request_query(request, "subject", view->arena);
    filter->actor = request_query(request, "actor", view->arena);
    filter->what = request_query(request, "what", view->arena);
    if (!request_query_number(request, "id", view->arena, &filter->subject_id)) {
        filter->subject_id = 0;
    }
    page->from = request_query(request, "from", view->arena);
    page->to = request_query(request, "to", view->arena);
    bool from = page->from.size == 0 || part_day(view, page->from, &filter->since, &other);
    bool to = page->to.size == 0 || part_day(view, page->to, &other, &filter->until);
    page->has_wrong_day = !from || !to;
    if (!page->reader.scope.everything) {
        filter->subject = TEXT("merchant");
        filter->subject_id = page->reader.scope.merchant_id;
    }
}

static void put_filter_field(struct view *view, enum say label, const char *name, const char *type, struct text value) {
    markup_fill(view->html, "<label>{} <input type=\"{}\" name=\"{}\" value=\"{}\"></label>\n", say(view, label),
                text_of(type), text_of(name), value);
}

static void put_filters(const struct log_page *page) {
    struct view *view = page->view;
    const struct console_event_filter *filter = &page->filter;
    markup_add(view->html, "<form class=\"filters\" method=\"get\" action=\"/log\">\n");
    if (page->reader.scope.everything) {
        markup_fill(view->html, "<label>{} <select name=\"subject\">", say(view, SAY_SUBJECT));
        part_option(view, TEXT(""), say(view, SAY_ANY), filter->subject);
        for (size_t i = 0; i < COUNT_OF(SUBJECTS); i++) {
            part_option(view, text_of(SUBJECTS[i]), text_of(SUBJECTS[i]), filter->subject);
        }
        markup_add(view->html, "</select></label>\n");
        put_filter_field(view, SAY_NUMBER, "id", "text",
                         filter->subject_id == 0 ? TEXT("") : part_number(view, filter->subject_id));
    }
    put_filter_field(view, SAY_ACTOR, "actor", "text", filter->actor);
    put_filter_field(view, SAY_WHAT, "what", "text", filter->what);
    put_filter_field(view, SAY_FROM_DAY, "from", "date", page->from);
    put_filter_field(view, SAY_TO_DAY, "to", "date", page->to);
    markup_fill(view->html, "<button class=\"main\">{}</button>\n</form>\n", say(view, SAY_FILTER));
}

static void put_older(const struct log_page *page) {
    struct view *view = page->view;
    const struct {
        const char *name;
        struct text value;
    } KEPT[] = {{"subject", page->filter.subject},
                {"id", page->filter.subject_id == 0 ? TEXT("") : part_number(view, page->filter.subject_id)},
                {"actor", page->filter.actor},
                {"what", page->filter.what},
                {"from", page->from},
                {"to", page->to},
                {"before", part_number(view, page->place.id)}};
    markup_add(view->html, "<form class=\"pages\" method=\"get\" action=\"/log\">");
    for (size_t i = 0; i < COUNT_OF(KEPT); i++) {
        if (KEPT[i].value.size > 0) {
            markup_fill(view->html, "<input type=\"hidden\" name=\"{}\" value=\"{}\">", text_of(KEPT[i].name),
                        KEPT[i].value);
        }
    }
    markup_fill(view->html, "<button>{}</button></form>\n", say(view, SAY_OLDER));
}

static enum status find_place(struct log_page *page) {
    const struct console_filter times = {.until = page->filter.until};
    bool goes_on = request_query_number(page->view->request, "before", page->view->arena, &page->place.id);
    bool walks = page->reader.scope.everything && page->filter.subject_id == 0;
    return goes_on || !walks ? STATUS_OK : console_places_seek(&page->reader, CONSOLE_EVENTS, &times, &page->place);
}

static enum status put_events(struct log_page *page) {
    static const enum say COLUMNS[] = {SAY_AT, SAY_ACTOR, SAY_SUBJECT, SAY_WHAT, SAY_STATE, SAY_REASON, SAY_NONE};
    struct view *view = page->view;
    duration began = clock_monotonic();
    enum status status = find_place(page);
    put_table(view, SAY_LOG_CAPTION, COLUMNS);
    while (status == STATUS_OK && !page->place.ended && page->shown < LOG_PAGE_ROWS &&
           clock_monotonic() - began < PAGE_LOOKING_MAX) {
        status = console_events_list(&page->reader, &page->filter, &page->place, put_event_row, page);
    }
    put_table_end(view);
    if (page->shown == 0) {
        markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, SAY_NO_ROWS));
    }
    if (!page->place.ended) {
        markup_fill(view->html, "<p>{} <strong>{}</strong>.</p>\n", say(view, SAY_LOOKED_BACK),
                    view_moment(view, page->place.at));
        put_older(page);
    }
    return status;
}

enum status page_log(struct view *view) {
    struct log_page page = {.view = view, .reader = view_reader(view)};
    view->title = say(view, SAY_LOG);
    read_filter(&page);
    put_filters(&page);
    if (page.has_wrong_day) {
        markup_fill(view->html, "<p class=\"note bad\" role=\"alert\">{}</p>\n", say(view, SAY_WRONG_DAY));
        return STATUS_OK;
    }
    return put_events(&page);
}
