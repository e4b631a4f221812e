#include "ctl/merchant/merchant_show.h"

#include "ctl/common/catalogue.h"
#include "ctl/common/event_records.h"
#include "ctl/core/output.h"

struct text merchant_argument(const struct context *context) {
    return context->arguments.words[0];
}

void merchant_describe(struct record *record, const struct merchant_description *merchant) {
    record_text(record, "name", merchant->name);
    record_text(record, "commerce", merchant->settings.commerce);
    record_number(record, "country", merchant->settings.country);
    record_flag(record, "enabled", merchant->enabled);
    record_text_or_nothing(record, "notify_url", merchant->settings.notify_url);
    record_text(record, "notify_digest", merchant->settings.notify_digest);
    record_text(record, "ack", merchant->settings.acknowledgement);
    record_instant(record, "old_hash_until", merchant->old_hash_until);
    record_instant(record, "old_hash_used_at", merchant->old_hash_used_at);
    record_instant(record, "old_notification_hash_until", merchant->old_notification_hash_until);
    record_number(record, "reference_quarantine_seconds", (uint64_t)(merchant->reference_quarantine / SECOND));
    record_instant(record, "created_at", merchant->created_at);
    record_instant(record, "changed_at", merchant->changed_at);
    record_text(record, "changed_by", merchant->changed_by);
}

enum outcome merchant_show(struct context *context) {
    struct merchant_description merchant;
    struct record *record = record_create(context->arena);
    enum outcome outcome = catalogue_merchant(context, merchant_argument(context), &merchant);
    if (outcome == OUTCOME_DONE) {
        merchant_describe(record, &merchant);
        outcome = event_records_add(context, "merchant", merchant.id, record);
    }
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}
