#include "console/core/changes.h"
#include "console/pages/order.h"

/* One thing that happened, in words. */
struct moment {
    instant at;
    struct text words, actor, changes;
    struct moment *next;
};

struct timeline {
    struct view *view;
    struct moment *first; /* oldest */
};

/* Among equals, what was added first comes first. */
static void add_moment(struct timeline *timeline, const struct moment *given) {
    struct moment *moment = arena_alloc(timeline->view->arena, sizeof *moment);
    struct moment **place = &timeline->first;
    if (given->at == 0) {
        return;
    }
    while (*place != NULL && (*place)->at <= given->at) {
        place = &(*place)->next;
    }
    *moment = *given;
    moment->next = *place;
    *place = moment;
}

static const struct {
    const char *what;
    enum say words;
} WHATS[] = {{"created", SAY_EVENT_CREATED}, {"held", SAY_EVENT_HELD},       {"released", SAY_EVENT_RELEASED},
             {"changed", SAY_EVENT_CHANGED}, {"retried", SAY_EVENT_RETRIED}, {"purged", SAY_EVENT_PURGED},
             {"state", SAY_EVENT_STATE}};

static struct text words_of(const struct view *view, struct text what) {
    for (size_t i = 0; i < COUNT_OF(WHATS); i++) {
        if (text_equal(what, text_of(WHATS[i].what))) {
            return say(view, WHATS[i].words);
        }
    }
    return what;
}

/* A change of state says which; a reason stands behind a colon. */
static void add_event_moment(struct timeline *timeline, const struct console_event *event) {
    const struct view *view = timeline->view;
    const struct event *row = &event->event;
    bool is_order = text_equal(event->subject, TEXT("order"));
    const struct part_state *states = is_order ? PART_ORDER_STATES : PART_NOTIFICATION_STATES;
    struct text subject = say(view, is_order ? SAY_ORDER : SAY_NOTIFICATION), words = words_of(view, row->what);
    if (row->to.size > 0) {
        words =
            arena_print(view->arena, "%.*s: %.*s", TEXT_ARGS(words), TEXT_ARGS(part_state_word(view, states, row->to)));
    }
    struct text reason = view_reason(view, row->reason);
    if (reason.size > 0) {
        words = arena_print(view->arena, "%.*s (%.*s)", TEXT_ARGS(words), TEXT_ARGS(reason));
    }
    add_moment(timeline,
               &(struct moment){.at = row->at,
                                .words = arena_print(view->arena, "%.*s: %.*s", TEXT_ARGS(subject), TEXT_ARGS(words)),
                                .actor = view_actor(view, row->actor),
                                .changes = row->changes});
}

/* The end of a window is nobody's deed. */
static void add_payment_moments(struct timeline *timeline, const struct transaction_now *row) {
    const struct view *view = timeline->view;
    struct text network = arena_print(view->arena, "network:%.*s", TEXT_ARGS(row->network));
    const struct {
        instant at;
        enum say words;
        struct text actor;
    } STEPS[] = {{row->registered_at, SAY_REGISTRADA, network},
                 {row->confirmed_at, SAY_CONFIRMADA, network},
                 {row->cancelled_at, SAY_CANCELADA, network},
                 {row->cancelled_at == 0 ? row->window_ends_at : 0, SAY_WINDOW_ENDS, {"", 0}}};
    for (size_t i = 0; i < COUNT_OF(STEPS); i++) {
        struct text words = arena_print(view->arena, "%.*s %.*s: %.*s", TEXT_ARGS(say(view, SAY_PAYMENT)),
                                        TEXT_ARGS(row->network_transaction), TEXT_ARGS(say(view, STEPS[i].words)));
        add_moment(timeline, &(struct moment){.at = STEPS[i].at, .words = words, .actor = STEPS[i].actor});
    }
}

static void add_attempt_moments(struct timeline *timeline, const struct shown_notification *of) {
    const struct view *view = timeline->view;
    for (const struct shown_attempt *shown = of->attempts; shown != NULL; shown = shown->next) {
        const struct attempt_row *row = &shown->row;
        struct text words =
            arena_print(view->arena, "%.*s %.*s, %.*s %llu: %.*s", TEXT_ARGS(say(view, SAY_NOTIFICATION)),
                        TEXT_ARGS(of->row.status), TEXT_ARGS(say(view, SAY_ATTEMPT)), (unsigned long long)row->number,
                        TEXT_ARGS(part_reason(view, row->reason)));
        add_moment(timeline,
                   &(struct moment){.at = row->started_at + row->took, .words = words, .actor = TEXT("dispatcher")});
    }
}

void order_timeline_put(struct order_page *page) {
    struct view *view = page->view;
    struct timeline timeline = {view, NULL};
    for (const struct shown_event *shown = page->events; shown != NULL; shown = shown->next) {
        add_event_moment(&timeline, &shown->event);
    }
    for (const struct shown_transaction *shown = page->transactions; shown != NULL; shown = shown->next) {
        add_payment_moments(&timeline, &shown->row);
    }
    for (const struct shown_notification *shown = page->notifications; shown != NULL; shown = shown->next) {
        add_attempt_moments(&timeline, shown);
    }
    markup_fill(view->html, "<section><h2>{}</h2>\n<ol class=\"timeline\">\n", say(view, SAY_TIMELINE));
    for (const struct moment *moment = timeline.first; moment != NULL; moment = moment->next) {
        markup_add(view->html, "<li>");
        put_moment(view, moment->at);
        markup_fill(view->html, " <bdi>{}</bdi> <span class=\"quiet\"><bdi>{}</bdi></span>", moment->words,
                    moment->actor);
        if (moment->changes.size > 0) {
            put_changes(view, moment->changes);
        }
        markup_add(view->html, "</li>\n");
    }
    markup_add(view->html, "</ol></section>\n");
}
