/* The pages that change something. Each is a function for the table in console/page_table.c, for GET and POST. */
#ifndef RECAUDO_CONSOLE_CHANGE_CHANGES_H
#define RECAUDO_CONSOLE_CHANGE_CHANGES_H

#include "console/core/view.h"

enum status change_retry(struct view *view);
enum status change_claim(struct view *view);
enum status page_approvals(struct view *view); /* the list, with links to the next two */
enum status change_approve(struct view *view);
enum status change_refuse(struct view *view);
enum status change_merchant_enable(struct view *view);
enum status change_merchant_disable(struct view *view);
enum status change_network_enable(struct view *view);
enum status change_network_disable(struct view *view);
enum status change_integration_enable(struct view *view);
enum status change_integration_disable(struct view *view);
enum status change_limits(struct view *view);
enum status change_endpoint_test(struct view *view);

#endif
