#include "console/core/changes.h"
#include "console/pages/pages.h"
#include "console/pages/parts.h"
#include "store/console/events.h"
#include "store/console/places.h"

enum { LOG_PAGE_ROWS = 100 };

static const struct part_state SUBJECTS[] = {{"order", TONE_PLAIN, SAY_LOG_SUBJECT_ORDER},
                                             {"transaction", TONE_PLAIN, SAY_LOG_SUBJECT_TRANSACTION},
                                             {"account", TONE_PLAIN, SAY_LOG_SUBJECT_ACCOUNT},
                                             {"network", TONE_PLAIN, SAY_LOG_SUBJECT_NETWORK},
                                             {"merchant", TONE_PLAIN, SAY_LOG_SUBJECT_MERCHANT},
                                             {"notification", TONE_PLAIN, SAY_LOG_SUBJECT_NOTIFICATION},
                                             {"integration", TONE_PLAIN, SAY_LOG_SUBJECT_INTEGRATION},
                                             {"setting", TONE_PLAIN, SAY_LOG_SUBJECT_SETTING},
                                             {"user", TONE_PLAIN, SAY_LOG_SUBJECT_USER},
                                             {"approval", TONE_PLAIN, SAY_LOG_SUBJECT_APPROVAL},
                                             {"settlement", TONE_PLAIN, SAY_LOG_SUBJECT_SETTLEMENT},
                                             {"", TONE_PLAIN, SAY_NONE}};

static const struct part_state WHATS[] = {{"created", TONE_PLAIN, SAY_LOG_WHAT_CREATED},
                                          {"state", TONE_PLAIN, SAY_LOG_WHAT_STATE},
                                          {"changed", TONE_PLAIN, SAY_LOG_WHAT_CHANGED},
                                          {"rotated", TONE_PLAIN, SAY_LOG_WHAT_ROTATED},
                                          {"reencrypted", TONE_PLAIN, SAY_LOG_WHAT_REENCRYPTED},
                                          {"old secret ended", TONE_PLAIN, SAY_LOG_WHAT_OLD_SECRET_ENDED},
                                          {"references", TONE_PLAIN, SAY_LOG_WHAT_REFERENCES},
                                          {"limits", TONE_PLAIN, SAY_LOG_WHAT_LIMITS},
                                          {"money limits", TONE_PLAIN, SAY_LOG_WHAT_MONEY_LIMITS},
                                          {"signing", TONE_PLAIN, SAY_LOG_WHAT_SIGNING},
                                          {"remitted", TONE_PLAIN, SAY_LOG_WHAT_REMITTED},
                                          {"tested", TONE_PLAIN, SAY_LOG_WHAT_TESTED},
                                          {"held", TONE_PLAIN, SAY_LOG_WHAT_HELD},
                                          {"released", TONE_PLAIN, SAY_LOG_WHAT_RELEASED},
                                          {"retried", TONE_PLAIN, SAY_LOG_WHAT_RETRIED},
                                          {"purged", TONE_PLAIN, SAY_LOG_WHAT_PURGED},
                                          {"room", TONE_PLAIN, SAY_LOG_WHAT_ROOM},
                                          {"", TONE_PLAIN, SAY_NONE}};

static const struct part_state OTHER_STATES[] = {
    {"enabled", TONE_PLAIN, SAY_LOG_STATE_ENABLED},   {"disabled", TONE_PLAIN, SAY_LOG_STATE_DISABLED},
    {"in force", TONE_PLAIN, SAY_LOG_STATE_IN_FORCE}, {"removed", TONE_PLAIN, SAY_LOG_STATE_REMOVED},
    {"open", TONE_PLAIN, SAY_LOG_STATE_OPEN},         {"closed", TONE_PLAIN, SAY_LOG_STATE_CLOSED},
    {"waiting", TONE_PLAIN, SAY_LOG_STATE_WAITING},   {"approved", TONE_PLAIN, SAY_LOG_STATE_APPROVED},
    {"refused", TONE_PLAIN, SAY_LOG_STATE_REFUSED},   {"", TONE_PLAIN, SAY_NONE}};

struct log_page {
    struct view *view;
    struct console_reader reader;
    struct console_event_filter filter;
    struct console_place place;
    struct text id, from, to; /* as given */
    size_t shown;
    bool has_wrong_day;
};

/* The page of what changed; a subject without one is only named. */
static void put_subject(struct view *view, const struct console_event *event) {
    static const char *const WITH_PAGE[] = {"order", "transaction", "network", "merchant", "notification"};
    struct text id = part_number(view, event->subject_id), word = part_state_word(view, SUBJECTS, event->subject);
    for (size_t i = 0; i < COUNT_OF(WITH_PAGE); i++) {
        if (text_equal(event->subject, text_of(WITH_PAGE[i]))) {
            markup_fill(view->html, "<td><a href=\"/{}s/{}\">{} {}</a></td>", event->subject, id, word, id);
            return;
        }
    }
    markup_fill(view->html, "<td>{} {}</td>", word, id);
}

/* The states before and after; one that stayed, once. */
static void put_states_of_event(struct view *view, const struct console_event *event) {
    const struct event *row = &event->event;
    const struct part_state *states = text_equal(event->subject, TEXT("order"))          ? PART_ORDER_STATES
                                      : text_equal(event->subject, TEXT("transaction"))  ? PART_TRANSACTION_STATES
                                      : text_equal(event->subject, TEXT("notification")) ? PART_NOTIFICATION_STATES
                                                                                         : OTHER_STATES;
    struct text from = text_equal(row->from, row->to) ? TEXT("") : part_state_word(view, states, row->from);
    markup_fill(view->html, "<td>{}{}{}</td>", from, from.size > 0 && row->to.size > 0 ? TEXT(" → ") : TEXT(""),
                part_state_word(view, states, row->to));
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
    markup_fill(view->html, "<td>{}</td>", part_state_word(view, WHATS, row->what));
    put_states_of_event(view, event);
    bool is_made = text_equal(row->what, TEXT("references")); /* "prefix 880 given", by the database */
    struct text reason = is_made ? row->reason : view_reason(view, row->reason);
    markup_add(view->html, "<td>");
    if (reason.size > 0) {
        markup_fill(view->html, "<bdi>{}</bdi>", reason);
    }
    if (row->changes.size > 0) {
        put_changes(view, row->changes);
    }
    markup_add(view->html, "</td></tr>\n");
    page->shown++;
    return page->shown < LOG_PAGE_ROWS;
}

static void read_filter(struct log_page *page) {
    const struct view *view = page->view;
    const struct console_request *request = view->request;
    struct console_event_filter *filter = &page->filter;
    instant other;
    filter->subject = request_query(request, "subject", view->arena);
    filter->actor = view_actor(view, request_query(request, "actor", view->arena)); /* no names by guessing either */
    filter->what = request_query(request, "what", view->arena);
    filter->subject_id = request_query_id(request, "id", view->arena);
    page->id = request_query(request, "id", view->arena);
    page->from = request_query(request, "from", view->arena);
    page->to = request_query(request, "to", view->arena);
    bool from = page->from.size == 0 || part_day(view, page->from, &filter->since, &other);
    bool to = page->to.size == 0 || part_day(view, page->to, &other, &filter->until);
    page->has_wrong_day = !from || !to;
    if (!page->reader.scope.everything) {
        filter->subject = TEXT("merchant");
        filter->subject_id = page->reader.scope.merchant_id;
        page->id = part_number(view, filter->subject_id);
    }
}

static void put_filter_field(struct view *view, enum say label, const char *name, const char *type, struct text value) {
    markup_fill(view->html, "<label>{} <input type=\"{}\" name=\"{}\" value=\"{}\"></label>\n", say(view, label),
                text_of(type), text_of(name), value);
}

/* With what the address asks for, known or not. */
static void put_choice(struct view *view, enum say label, const char *name, const struct part_state *words,
                       struct text chosen) {
    bool is_known = chosen.size == 0;
    markup_fill(view->html, "<label>{} <select name=\"{}\">", say(view, label), text_of(name));
    part_option(view, TEXT(""), say(view, SAY_ANY), chosen);
    for (; words->state[0] != '\0'; words++) {
        part_option(view, text_of(words->state), say(view, words->word), chosen);
        is_known = is_known || text_equal(text_of(words->state), chosen);
    }
    if (!is_known) {
        part_option(view, chosen, chosen, chosen);
    }
    markup_add(view->html, "</select></label>\n");
}

static void put_filters(const struct log_page *page) {
    struct view *view = page->view;
    const struct console_event_filter *filter = &page->filter;
    markup_add(view->html, "<form class=\"filters\" method=\"get\" action=\"/log\">\n");
    if (page->reader.scope.everything) {
        put_choice(view, SAY_SUBJECT, "subject", SUBJECTS, filter->subject);
        put_filter_field(view, SAY_NUMBER, "id", "text", page->id);
    }
    put_filter_field(view, SAY_ACTOR, "actor", "text", filter->actor);
    put_choice(view, SAY_WHAT, "what", WHATS, filter->what);
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
                {"id", page->id},
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
    bool walks = page->reader.scope.everything && (page->filter.subject_id == 0 || page->filter.subject.size == 0);
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
    put_table_end_or(view, page->place.ended ? SAY_NO_ROWS : SAY_NO_ROWS_YET);
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
