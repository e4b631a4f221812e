#include "ctl/order/timeline.h"

#include "ctl/common/attempt_records.h"

struct moment {
    instant at;
    struct text words, actor;
    struct moment *next;
};

struct timeline {
    struct arena *arena;
    struct moment *first; /* in order of time; moments at the same instant in the order in which they were added */
};

struct timeline *timeline_create(struct arena *arena) {
    struct timeline *timeline = arena_alloc(arena, sizeof *timeline);
    timeline->arena = arena;
    return timeline;
}

static void record_moment(struct timeline *timeline, instant at, struct text words, struct text actor) {
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
    } else if (text_equal(event->what, TEXT("changed")) && event->changes.size > 0) {
        words = arena_print(timeline->arena, "changed %.*s", TEXT_ARGS(event->changes));
    } else if (text_equal(event->what, TEXT("purged"))) {
        words = TEXT("personal data of the customer taken away");
    }
    record_moment(timeline, event->at, words, event->actor);
}

/* Describes the end of the payment's window. */
static const char *at_window_end(const struct transaction_now *transaction) {
    if (!text_equal(transaction->state, TEXT("CONFIRMADA"))) {
        return "can no longer be cancelled";
    }
    return transaction->window_closed ? "accepts no cancellation any more; its end is not written yet"
                                      : "becomes final unless it is cancelled before";
}

/* The end of a window has no actor. */
void timeline_add_transaction(struct timeline *timeline, const struct transaction_now *transaction) {
    struct arena *arena = timeline->arena;
    struct text network = arena_print(arena, "network:%.*s", TEXT_ARGS(transaction->network));
    const struct {
        instant at;
        const char *happened;
        struct text actor;
    } STEPS[] = {
        {transaction->registered_at, "registered", network},
        {transaction->confirmed_at, "confirmed", network},
        {transaction->cancelled_at, "cancelled", network},
        {transaction->cancelled_at == 0 ? transaction->window_ends_at : 0, at_window_end(transaction), {"", 0}}};
    for (size_t i = 0; i < COUNT_OF(STEPS); i++) {
        if (STEPS[i].at != 0) {
            record_moment(
                timeline, STEPS[i].at,
                arena_print(arena, "payment %.*s %s", TEXT_ARGS(transaction->network_transaction), STEPS[i].happened),
                STEPS[i].actor);
        }
    }
}

void timeline_add_notification_event(struct timeline *timeline, struct text status, const struct event *event) {
    struct arena *arena = timeline->arena;
    struct text words;
    if (text_equal(event->what, TEXT("created"))) {
        words =
            arena_print(arena, "the merchant is to be notified: %.*s (%.*s)", TEXT_ARGS(status), TEXT_ARGS(event->to));
    } else if (text_equal(event->what, TEXT("retried"))) {
        words = arena_print(arena, "notification %.*s is to be sent again%s%.*s", TEXT_ARGS(status),
                            event->reason.size > 0 ? ": " : "", TEXT_ARGS(event->reason));
    } else if (text_equal(event->what, TEXT("purged"))) {
        words = arena_print(arena, "the attempts to deliver notification %.*s were removed%s%.*s", TEXT_ARGS(status),
                            event->reason.size > 0 ? ": " : "", TEXT_ARGS(event->reason));
    } else if (text_equal(event->what, TEXT("changed"))) {
        words = arena_print(arena, "notification %.*s: changed %.*s", TEXT_ARGS(status), TEXT_ARGS(event->changes));
    } else {
        words = arena_print(arena, "notification %.*s: %.*s becomes %.*s", TEXT_ARGS(status), TEXT_ARGS(event->from),
                            TEXT_ARGS(event->to));
    }
    record_moment(timeline, event->at, words, event->actor);
}

void timeline_add_attempt(struct timeline *timeline, struct text status, const struct attempt_row *attempt) {
    struct text http = attempt->http_status == 0
                           ? TEXT("")
                           : arena_print(timeline->arena, "HTTP %llu, ", (unsigned long long)attempt->http_status);
    record_moment(timeline, attempt->started_at + attempt->took,
                  arena_print(timeline->arena, "notification %.*s, attempt %llu: %.*s%s", TEXT_ARGS(status),
                              (unsigned long long)attempt->number, TEXT_ARGS(http),
                              attempt_records_words(attempt->reason)),
                  TEXT("dispatcher"));
}

void timeline_write(struct timeline *timeline, struct record_list *list) {
    for (const struct moment *moment = timeline->first; moment != NULL; moment = moment->next) {
        struct record *record = record_list_add(list);
        record_instant(record, "at", moment->at);
        record_text(record, "what", moment->words);
        record_text_or_nothing(record, "by", moment->actor);
    }
}
