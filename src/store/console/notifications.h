/* Notifications, attempts and external queries for the console. No `each` may use the connection. */
#ifndef RECAUDO_STORE_CONSOLE_NOTIFICATIONS_H
#define RECAUDO_STORE_CONSOLE_NOTIFICATIONS_H

#include "store/console/reader.h"
#include "store/external/queries.h"
#include "store/notification/notifications.h"

/* STATUS_NONE: there is none, or it is out of the reader's scope. */
enum status console_notifications_find(const struct console_reader *reader, uint64_t id, struct notification_row *out);

/* Calls `each` for the notifications of an order, oldest first. */
enum status console_notifications_of_order(const struct console_reader *reader, uint64_t order_id,
                                           void (*each)(void *context, const struct notification_row *notification),
                                           void *context);

/* Calls `each` for the first 300 attempts at the notifications of an order, oldest first. */
enum status console_attempts_of_order(const struct console_reader *reader, uint64_t order_id,
                                      void (*each)(void *context, const struct attempt_row *attempt), void *context);

/* Calls `each` for the latest attempts at a merchant's endpoint, newest first: of its 25 newest notifications, at most
 * 100 attempts. Omits the replies. */
enum status console_attempts_of_merchant(const struct console_reader *reader, uint64_t merchant_id,
                                         void (*each)(void *context, const struct attempt_row *attempt), void *context);

/* Sets *count to how many of a merchant's notifications were given up, at most CONSOLE_GIVEN_UP_MAX. */
enum { CONSOLE_GIVEN_UP_MAX = 1000 };
enum status console_notifications_given_up(const struct console_reader *reader, uint64_t merchant_id, uint64_t *count);

/* Lists notifications, newest first; in a state other than "delivered", latest due_at first. */
enum status console_notifications_list(const struct console_reader *reader, const struct console_filter *filter,
                                       struct console_place *place,
                                       bool (*each)(void *context, const struct notification_row *notification),
                                       void *context);

/* Calls `each` for the last 50 external queries to the order's merchant about its reference, newest first. */
enum status console_queries_of_order(const struct console_reader *reader, uint64_t order_id,
                                     void (*each)(void *context, const struct query_row *query), void *context);

/* Calls `each` for the last 50 external queries to a merchant, newest first. */
enum status console_queries_of_merchant(const struct console_reader *reader, uint64_t merchant_id,
                                        void (*each)(void *context, const struct query_row *query), void *context);

/* Of the newest 2,000 external queries about a reference, calls `each` for those that the reader may see, the newest
 * first, CONSOLE_QUERIES_MAX at most. */
enum { CONSOLE_QUERIES_MAX = 100 };
enum status console_queries_of_reference(const struct console_reader *reader, struct text reference,
                                         void (*each)(void *context, const struct query_row *query), void *context);

/* The newest query of an integration, which got no complete answer (silent), or one that is not valid. */
struct failed_query {
    struct query_row row;
    struct text code;  /* what the integration's references begin with */
    bool is_agreement; /* for row.network alone; another integration may have the same code */
};

/* Calls `each` for the integrations in force of enabled merchants whose newest query failed less than a day ago, and,
 * if `twice`, the query before it too; by merchant, 5 of a merchant and 50 in all at most. *left_out: how many more
 * there are. */
enum status console_queries_failed(const struct console_reader *reader, bool twice,
                                   void (*each)(void *context, const struct failed_query *query), void *context,
                                   uint64_t *left_out);

#endif
