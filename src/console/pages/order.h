/* Everything about one order, as its page shows it. */
#ifndef RECAUDO_CONSOLE_PAGES_ORDER_H
#define RECAUDO_CONSOLE_PAGES_ORDER_H

#include "console/pages/parts.h"
#include "store/console/events.h"
#include "store/console/notifications.h"
#include "store/console/orders.h"
#include "store/console/transactions.h"

struct shown_transaction {
    struct transaction_now row;
    struct shown_transaction *next;
};

struct shown_attempt {
    struct attempt_row row;
    struct shown_attempt *next;
};

struct shown_notification {
    struct notification_row row;
    struct shown_attempt *attempts, **last_attempt;
    struct shown_notification *next;
};

struct shown_event {
    struct console_event event;
    struct shown_event *next;
};

struct shown_query {
    struct query_row row;
    struct shown_query *next;
};

/* Each list is oldest first, but the queries, whose newest comes first. */
struct order_page {
    struct view *view;
    struct console_reader reader;
    struct order_now order;
    struct console_asked asked;
    struct text offered_to; /* names of networks */
    struct shown_transaction *transactions, **last_transaction;
    struct shown_notification *notifications, **last_notification;
    struct shown_event *events, **last_event;
    struct shown_query *queries, **last_query;
};

/* The transaction that pays the order or holds it; NULL: none does. */
const struct transaction_now *order_page_payment(const struct order_page *page);

/* Sections of the page: what the caller asks first; the events by time; notifications with their attempts. */
void order_answer_put(struct order_page *page);
void order_timeline_put(struct order_page *page);
void order_notifications_put(struct order_page *page);

#endif
