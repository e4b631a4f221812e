/* Notifications by what people know them by. */
#ifndef RECAUDO_CTL_NOTIFICATION_NOTIFICATION_FIND_H
#define RECAUDO_CTL_NOTIFICATION_NOTIFICATION_FIND_H

#include "ctl/core/command.h"
#include "store/notification/notifications.h"

/* `word` is a number of ours, or a webhook-id (ntf_...), as merchants see it. STATUS_NONE: there is no such
 * notification. */
enum status notification_find(const struct context *context, struct text word, struct notification_row *out);

#endif
