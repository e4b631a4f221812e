#include "ctl/common/event_records.h"

#include "ctl/core/failure.h"

void event_records_describe(struct record *record, const struct event *event) {
    record_text(record, "what", event->what);
    record_text_or_nothing(record, "from", event->from);
    record_text_or_nothing(record, "to", event->to);
    record_text(record, "actor", event->actor);
    record_text_or_nothing(record, "reason", event->reason);
    record_text_or_nothing(record, "changes", event->changes);
}

static void add_event_record(void *context, const struct event *event) {
    struct record *record = record_list_add(context);
    record_instant(record, "at", event->at);
    event_records_describe(record, event);
}

enum outcome event_records_add(const struct context *context, const char *subject, uint64_t id, struct record *record) {
    struct record_list *list = record_list(record, "events");
    enum status status = events_list(context->connection, text_of(subject), id, context->arena, add_event_record, list);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the event log");
}
