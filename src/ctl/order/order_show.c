#include "ctl/order/order_show.h"

#include "ctl/common/attempt_records.h"
#include "ctl/common/event_records.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/order/order_find.h"
#include "ctl/order/order_records.h"
#include "ctl/order/timeline.h"
#include "ctl/transaction/transaction_records.h"
#include "store/external/offers.h"
#include "store/payment/approvals.h"

struct shown_notification {
    uint64_t id;
    struct text status;
    struct record_list *attempts;
};

/* The order that is being shown. */
struct showing {
    struct context *context;
    struct record_list *list; /* being filled */
    struct timeline *timeline;
    struct shown_notification notifications[NOTIFICATIONS_PER_ORDER_MAX];
    size_t notification_count;
    const struct shown_notification *of; /* the notification whose events are being read */
};

static void record_transaction(void *context, const struct transaction_now *transaction) {
    struct showing *showing = context;
    struct record *record = record_list_add(showing->list);
    transaction_records_summary(record, transaction);
    if (showing->context->json) {
        record_text(record, "teller", transaction->teller);
        transaction_records_instants(record, transaction);
    }
    timeline_add_transaction(showing->timeline, transaction);
}

/* Keeps the notification, because other statements read its attempts and events. */
static void record_notification(void *context, const struct notification_row *notification) {
    struct showing *showing = context;
    struct record *record = record_list_add(showing->list);
    record_number(record, "id", notification->id);
    record_text(record, "status", notification->status);
    record_text(record, "state", notification->state);
    record_flag(record, "in_flight", notification->in_hand);
    record_instant(record, "due_at", notification->in_hand ? 0 : notification->due_at);
    record_instant(record, "settled_at", notification->settled_at);
    struct shown_notification *shown = &showing->notifications[showing->notification_count++];
    *shown = (struct shown_notification){notification->id, notification->status, record_list(record, "attempts")};
}

static void add_attempt_to_timeline(void *context, const struct attempt_row *attempt) {
    const struct showing *showing = context;
    for (size_t i = 0; i < showing->notification_count; i++) {
        const struct shown_notification *shown = &showing->notifications[i];
        if (shown->id == attempt->notification_id) {
            attempt_records_add(shown->attempts, attempt, true);
            timeline_add_attempt(showing->timeline, shown->status, attempt);
        }
    }
}

static void add_notification_event(void *context, const struct event *event) {
    const struct showing *showing = context;
    timeline_add_notification_event(showing->timeline, showing->of->status, event);
}

static void record_event(void *context, const struct event *event) {
    struct showing *showing = context;
    timeline_add_event(showing->timeline, event);
}

/* For people, lists the events of the order, its payments and its notifications together, in words. */
static enum outcome add_history(struct showing *showing, const struct order_now *order, struct record *record) {
    struct context *context = showing->context;
    if (context->json) {
        return event_records_add(context, "order", order->id, record);
    }
    enum status status =
        events_list(context->connection, TEXT("order"), order->id, context->arena, record_event, showing);
    for (size_t i = 0; i < showing->notification_count && status == STATUS_OK; i++) {
        showing->of = &showing->notifications[i];
        status = events_list(context->connection, TEXT("notification"), showing->of->id, context->arena,
                             add_notification_event, showing);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "read the event log");
    }
    timeline_write(showing->timeline, record_list(record, "history"));
    return OUTCOME_DONE;
}

static enum status add_lists(struct showing *showing, uint64_t order_id, struct record *record) {
    struct connection *connection = showing->context->connection;
    struct arena *arena = showing->context->arena;
    showing->list = record_list(record, "transactions");
    enum status status = transactions_now_of_order(connection, order_id, arena, record_transaction, showing);
    if (status == STATUS_OK) {
        showing->list = record_list(record, "notifications");
        status = notifications_of_order(connection, order_id, arena, record_notification, showing);
    }
    return status == STATUS_OK ? attempts_of_order(connection, order_id, arena, add_attempt_to_timeline, showing)
                               : status;
}

/* A claim of a large amount changes nothing until a second user has approved it. */
static enum status add_waiting_claim(const struct context *context, uint64_t order_id, struct record *record) {
    struct approval claim;
    enum status status = approvals_of_claim(context->connection, order_id, context->arena, &claim);
    if (status == STATUS_OK) {
        struct record *waiting = record_record(record, "waiting_claim");
        record_number(waiting, "approval", claim.id);
        record_text(waiting, "asked_by", claim.asked_by);
        record_instant(waiting, "asked_at", claim.asked_at);
        record_text(waiting, "reason", claim.reason);
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

/* An order that its merchant offered when it was asked can be paid only by the networks that asked. */
static enum status add_offers(const struct context *context, uint64_t order_id, struct record *record) {
    struct text networks;
    enum status status = offers_list_networks(context->connection, order_id, context->arena, &networks);
    record_text_or_nothing(record, "offered_to", networks);
    return status;
}

static enum outcome show_order(struct context *context, const struct order_now *order) {
    struct record *record = record_create(context->arena);
    struct showing showing = {.context = context, .timeline = timeline_create(context->arena)};
    order_records_whole(record, order, &context->config, context->arena);
    enum status status = add_offers(context, order->id, record);
    status = status == STATUS_OK ? add_waiting_claim(context, order->id, record) : status;
    status = status == STATUS_OK ? add_lists(&showing, order->id, record) : status;
    if (status != STATUS_OK) {
        return fail(context, status, "read the order's payments and notifications");
    }
    enum outcome outcome = add_history(&showing, order, record);
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}

enum outcome order_show(struct context *context) {
    struct order_now order;
    enum outcome outcome = order_find(context, context->arguments.words[0], &order);
    return outcome == OUTCOME_DONE ? show_order(context, &order) : outcome;
}
