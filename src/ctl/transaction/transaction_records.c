#include "ctl/transaction/transaction_records.h"

void transaction_records_summary(struct record *record, const struct transaction_now *transaction) {
    record_text(record, "network", transaction->network);
    record_text(record, "transaction", transaction->network_transaction);
    record_number(record, "idservice", transaction->id);
    record_text(record, "state", transaction->state);
    record_amount(record, "amount", transaction->amount, transaction->currency);
    record_text(record, "currency", transaction->currency);
    record_text(record, "reference", transaction->reference);
}

void transaction_records_instants(struct record *record, const struct transaction_now *transaction) {
    record_instant(record, "registered_at", transaction->registered_at);
    record_instant(record, "confirmed_at", transaction->confirmed_at);
    record_instant(record, "window_ends_at", transaction->window_ends_at);
    record_instant(record, "finalised_at", transaction->finalised_at);
    record_instant(record, "cancelled_at", transaction->cancelled_at);
}

void transaction_records_whole(struct record *record, const struct transaction_now *transaction) {
    transaction_records_summary(record, transaction);
    record_text(record, "state_written", transaction->state_written);
    record_flag(record, "window_closed", transaction->window_closed);
    record_number_or_nothing(record, "pv_po_id", transaction->order_id);
    record_text_or_nothing(record, "account", transaction->document);
    record_text(record, "commerce", transaction->commerce);
    record_text(record, "description", transaction->description);
    record_text(record, "teller", transaction->teller);
    record_text_or_nothing(record, "nombres", transaction->given_names);
    record_text_or_nothing(record, "apellido1", transaction->surname1);
    record_text_or_nothing(record, "apellido2", transaction->surname2);
    transaction_records_instants(record, transaction);
}
