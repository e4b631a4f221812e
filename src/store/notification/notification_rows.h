/* The columns of notifications and attempts for display, and the functions that read them. For the files of
 * src/store. */
#ifndef RECAUDO_STORE_NOTIFICATION_NOTIFICATION_ROWS_H
#define RECAUDO_STORE_NOTIFICATION_NOTIFICATION_ROWS_H

#include "store/db/sql.h"
#include "store/notification/notifications.h"

/*
 * Needs `notifications n` and NOTIFICATION_TABLES. `in_hand`: the lease has not ended. Forces the index, because for a
 * notification with few attempts the optimizer may scan all attempts backwards.
 */
#define NOTIFICATION_COLUMNS                                                                                           \
    "n.id, n.webhook_id, n.order_id, o.po_id, m.name, m.notify_url, n.sequence, n.status, n.state, n.amount,"          \
    " o.currency, n.payment_means, n.attempts, (SELECT a.reason FROM attempts a FORCE INDEX (one_per_lease)"           \
    " WHERE a.notification_id = n.id ORDER BY a.id DESC LIMIT 1), n.due_at,"                                           \
    " n.state = 'pending' AND n.lease IS NOT NULL AND n.due_at > UTC_TIMESTAMP(6), n.created_at, n.settled_at,"        \
    " n.changed_by"

#define NOTIFICATION_TABLES                                                                                            \
    " STRAIGHT_JOIN orders o ON o.id = n.order_id STRAIGHT_JOIN merchants m ON m.id = n.merchant_id"

/* Needs `attempts a` and `dispatchers d`. Renumbers the attempts: attempts.number starts again after each retry by an
 * operator, and a late attempt has the same number as the next. */
#define ATTEMPT_COLUMNS                                                                                                \
    "a.notification_id, ROW_NUMBER() OVER (PARTITION BY a.notification_id ORDER BY a.id), a.started_at,"               \
    " a.duration_us, a.url, a.address, a.http_status, a.reason, a.late, a.reply, d.host"

/* Each reads exactly the columns of its list. */
void notification_row_get(struct sql *sql, struct arena *arena, struct notification_row *out);
void attempt_row_get(struct sql *sql, struct arena *arena, struct attempt_row *out);

#endif
