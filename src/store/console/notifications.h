/* Notifications, attempts and external queries for the console. No `each` may use the connection. */
#ifndef RECAUDO_STORE_CONSOLE_NOTIFICATIONS_H
#define RECAUDO_STORE_CONSOLE_NOTIFICATIONS_H

#include "store/console/reader.h"
#include "store/external/queries.h"
#include "store/notification/notifications.h"

/* STATUS_NONE: there is none, or it is another merchant's. */
enum status console_notifications_find(const struct console_reader *reader, uint64_t id, struct notification_row *out);

/* Calls `each` for the notifications of an order, oldest first. */
enum status console_notifications_of_order(const struct console_reader *reader, uint64_t order_id,
                                           void (*each)(void *context, const struct notification_row *notification),
                                           void *context);

/* Calls `each` for the first 300 attempts at the notifications of an order, oldest first. */
enum status console_attempts_of_order(const struct console_reader *reader, uint64_t order_id,
                                      void (*each)(void *context, const struct attempt_row *attempt), void *context);

/* Calls `each` for the last attempts at a merchant's endpoint, newest first: of its 25 newest notifications. Without
 * the replies. */
enum status console_attempts_of_merchant(const struct console_reader *reader, uint64_t merchant_id,
                                         void (*each)(void *context, const struct attempt_row *attempt), void *context);

/* The list: the newest first; of a state that does not last (not "delivered") those first that were or are due last. */
enum status console_notifications_list(const struct console_reader *reader, const struct console_filter *filter,
                                       struct console_place *place,
                                       bool (*each)(void *context, const struct notification_row *notification),
                                       void *context);

/* Calls `each` for the last 50 external queries about the reference of an order that its merchant was asked. */
enum status console_queries_of_order(const struct console_reader *reader, uint64_t order_id,
                                     void (*each)(void *context, const struct query_row *query), void *context);

/* The last 50 that a merchant was asked, newest first. */
enum status console_queries_of_merchant(const struct console_reader *reader, uint64_t merchant_id,
                                        void (*each)(void *context, const struct query_row *query), void *context);

/* Calls `each` for the enabled merchants whose newest query of the last day got no whole answer, by id: the name, and
 * when it was asked. Of at most 150 merchants with integrations. */
enum status console_queries_silent(const struct console_reader *reader,
                                   void (*each)(void *context, struct text merchant, instant asked_at), void *context);

#endif
