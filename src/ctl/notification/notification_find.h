/* Finds a notification by an id that people use. */
#ifndef RECAUDO_CTL_NOTIFICATION_NOTIFICATION_FIND_H
#define RECAUDO_CTL_NOTIFICATION_NOTIFICATION_FIND_H

#include "ctl/core/command.h"
#include "store/notification/notifications.h"

/* `word` is our number of the notification, or a webhook-id (ntf_...) as merchants see it. STATUS_NONE: the
 * notification does not exist. */
enum status notification_find(const struct context *context, struct text word, struct notification_row *out);

#endif
