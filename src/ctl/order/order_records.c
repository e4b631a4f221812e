#include "ctl/order/order_records.h"

void order_records_summary(struct record *record, const struct order_now *order) {
    record_number(record, "pv_po_id", order->id);
    record_text(record, "po_id", order->po_id);
    record_text(record, "merchant", order->merchant);
    record_text(record, "reference", order->reference);
    record_amount(record, "amount", order->amount, order->currency);
    record_text(record, "currency", order->currency);
    record_text(record, "state", order->state);
    record_instant(record, "due_at", order->due_at);
    record_instant(record, "created_at", order->created_at);
}

void order_records_whole(struct record *record, const struct order_now *order, const struct config *config,
                         struct arena *arena) {
    order_records_summary(record, order);
    record_text(record, "state_written", order->state_written);
    record_instant(record, "held_until", order->held_until);
    record_flag(record, "window_closed", order->window_closed);
    record_text(record, "origin", order->origin);
    if (order->has_limits) {
        record_amount(record, "min", order->least, order->currency);
        record_amount(record, "max", order->most, order->currency);
    }
    record_text(record, "description", order->description);
    record_text_or_nothing(record, "method", order->payment_means);
    record_text_or_nothing(record, "di", order->document);
    record_text_or_nothing(record, "type_di", order->document_type);
    record_text_or_nothing(record, "name", order->customer_name);
    record_text_or_nothing(record, "email", order->email);
    record_text_or_nothing(record, "slip", order_slip_address(config->worker.public_base, order->token, arena));
    record_instant(record, "changed_at", order->changed_at);
    record_text(record, "changed_by", order->changed_by);
}
