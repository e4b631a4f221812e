#include "ctl/notification/notification_records.h"

void notification_records_summary(struct record *record, const struct notification_row *notification) {
    record_number(record, "id", notification->id);
    record_number(record, "pv_po_id", notification->order_id);
    record_text(record, "po_id", notification->po_id);
    record_text(record, "merchant", notification->merchant);
    record_text(record, "status", notification->status);
    record_text(record, "state", notification->state);
    record_number(record, "attempts_made", notification->attempts);
    record_text_or_nothing(record, "last_attempt", notification->last_reason);
    record_flag(record, "in_flight", notification->in_hand);
    record_instant(record, "due_at", notification->in_hand ? 0 : notification->due_at);
    record_instant(record, "settled_at", notification->settled_at);
}

void notification_records_whole(struct record *record, const struct notification_row *notification) {
    notification_records_summary(record, notification);
    record_text(record, "webhook_id", notification->webhook_id);
    record_number(record, "sequence", notification->sequence);
    record_amount(record, "amount", notification->amount, notification->currency);
    record_text(record, "iso_currency", notification->currency);
    record_text(record, "pv_payment", notification->payment_means);
    record_text_or_nothing(record, "notify_url", notification->url);
    record_instant(record, "created_at", notification->created_at);
    record_text(record, "changed_by", notification->changed_by);
}
