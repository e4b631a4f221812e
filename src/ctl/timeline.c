#include "ctl/timeline.h"

struct moment {
    instant at;
    struct text words, actor;
    struct moment *next;
};

struct timeline {
    struct arena *arena;
    struct moment *first; /* oldest; what was added first among equals */
};

struct timeline *timeline_create(struct arena *arena) {
    struct timeline *timeline = arena_alloc(arena, sizeof *timeline);
    timeline->arena = arena;
    return timeline;
}

static void add(struct timeline *timeline, instant at, struct text words, struct text actor) {
    struct moment *moment = arena_alloc(timeline->arena, sizeof *moment);
    struct moment **place = &timeline->first;
    while (*place != NULL && (*place)->at <= at) {
        place = &(*place)->next;
    }
    *moment = (struct moment){at, words, actor, *place};
    *place = moment;
}

void timeline_add_event(struct timeline *timeline, const struct event *event) {
    struct text words = event->what;
    if (text_equal(event->what, TEXT("created"))) {
        words = arena_print(timeline->arena, "the order comes in, %.*s", TEXT_ARGS(event->to));
    } else if (text_equal(event->what, TEXT("state"))) {
        words = arena_print(timeline->arena, "%.*s becomes %.*s%s%.*s", TEXT_ARGS(event->from), TEXT_ARGS(event->to),
                            event->reason.size > 0 ? ": " : "", TEXT_ARGS(event->reason));
    } else if (text_equal(event->what, TEXT("held"))) {
        words = TEXT("held while the payment can be cancelled");
    } else if (text_equal(event->what, TEXT("released"))) {
        words = TEXT("free again: the payment was cancelled");
    }
    add(timeline, event->at, words, event->actor);
}

void timeline_add_transaction(struct timeline *timeline, const struct transaction_now *transaction) {
    const struct {
        instant at;
        const char *happened;
    } STEPS[] = {{transaction->registered_at, "registered"},
                 {transaction->confirmed_at, "confirmed"},
                 {transaction->cancelled_at, "cancelled"},
                 {transaction->cancelled_at == 0 ? transaction->window_ends_at : 0, "can no longer be cancelled"}};
    for (size_t i = 0; i < COUNT_OF(STEPS); i++) {
        if (STEPS[i].at != 0) {
            add(timeline, STEPS[i].at,
                arena_print(timeline->arena, "payment %.*s %s", TEXT_ARGS(transaction->network_transaction),
                            STEPS[i].happened),
                arena_print(timeline->arena, "network:%.*s", TEXT_ARGS(transaction->network)));
        }
    }
}

void timeline_add_notification(struct timeline *timeline, const struct order_notification *notification) {
    add(timeline, notification->created_at,
        arena_print(timeline->arena, "the merchant is to be notified: %.*s", TEXT_ARGS(notification->status)),
        TEXT("dispatcher"));
    if (notification->settled_at != 0) {
        add(timeline, notification->settled_at,
            arena_print(timeline->arena, "notification %.*s: %.*s", TEXT_ARGS(notification->status),
                        TEXT_ARGS(notification->state)),
            TEXT("dispatcher"));
    }
}

void timeline_write(struct timeline *timeline, struct record_list *list) {
    for (const struct moment *moment = timeline->first; moment != NULL; moment = moment->next) {
        struct record *record = record_list_add(list);
        record_instant(record, "at", moment->at);
        record_text(record, "what", moment->words);
        record_text(record, "by", moment->actor);
    }
}
