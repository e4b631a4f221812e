/* The pages that only read. Each is a function for the table in console/page_table.c. */
#ifndef RECAUDO_CONSOLE_PAGES_PAGES_H
#define RECAUDO_CONSOLE_PAGES_PAGES_H

#include "console/core/view.h"

enum status page_now(struct view *view);
enum status page_search(struct view *view);
enum status page_orders(struct view *view);
enum status page_order(struct view *view);
enum status page_transactions(struct view *view);
enum status page_transaction(struct view *view);
enum status page_notifications(struct view *view);
enum status page_notification(struct view *view);
enum status page_merchants(struct view *view);
enum status page_merchant(struct view *view);
enum status page_networks(struct view *view);
enum status page_network(struct view *view);
enum status page_settlement(struct view *view);
enum status page_log(struct view *view);
enum status page_users(struct view *view);

#endif
