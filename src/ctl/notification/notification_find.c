#include "ctl/notification/notification_find.h"

enum status notification_find(const struct context *context, struct text word, struct notification_row *out) {
    uint64_t id;
    if (text_begins(word, TEXT("ntf_"))) {
        return notifications_find_by_webhook_id(context->connection, word, context->arena, out);
    }
    return text_to_number(word, &id) ? notifications_find(context->connection, id, context->arena, out) : STATUS_NONE;
}
