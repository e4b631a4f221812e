/* Shows notifications as records. */
#ifndef RECAUDO_CTL_NOTIFICATION_NOTIFICATION_RECORDS_H
#define RECAUDO_CTL_NOTIFICATION_NOTIFICATION_RECORDS_H

#include "ctl/core/record.h"
#include "store/notification/notifications.h"

/* Adds the fields that a list shows. */
void notification_records_summary(struct record *record, const struct notification_row *notification);

/* Adds all fields of the notification's row. */
void notification_records_whole(struct record *record, const struct notification_row *notification);

#endif
