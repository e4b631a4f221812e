/* Notifications as records. */
#ifndef RECAUDO_CTL_NOTIFICATION_NOTIFICATION_RECORDS_H
#define RECAUDO_CTL_NOTIFICATION_NOTIFICATION_RECORDS_H

#include "ctl/core/record.h"
#include "store/notification/notifications.h"

/* What a list shows of each notification. */
void notification_records_summary(struct record *record, const struct notification_row *notification);

/* Everything that stands in its row. */
void notification_records_whole(struct record *record, const struct notification_row *notification);

#endif
