/* The event log for the console. */
#ifndef RECAUDO_STORE_CONSOLE_EVENTS_H
#define RECAUDO_STORE_CONSOLE_EVENTS_H

#include "store/console/reader.h"
#include "store/operation/events.h"

struct console_event {
    uint64_t id;
    struct text subject; /* "order", "notification", "merchant", ... */
    uint64_t subject_id;
    struct event event;
};

/* Call `each` for the first 300 events of an order, or of its notifications, oldest first. `each` must not use the
 * connection. */
enum status console_events_of_order(const struct console_reader *reader, uint64_t order_id,
                                    void (*each)(void *context, const struct console_event *event), void *context);
enum status console_events_of_notifications(const struct console_reader *reader, uint64_t order_id,
                                            void (*each)(void *context, const struct console_event *event),
                                            void *context);

struct console_event_filter {
    struct text subject, actor, what; /* empty: any */
    uint64_t subject_id;              /* 0: any */
    instant since, until;             /* since <= at < until; 0: no bound */
};

/* Lists the log, newest first, as all lists (reader.h). A reader of one merchant gets only that merchant's own events,
 * and must filter for them: subject "merchant" and its id. */
enum status console_events_list(const struct console_reader *reader, const struct console_event_filter *filter,
                                struct console_place *place,
                                bool (*each)(void *context, const struct console_event *event), void *context);

#endif
