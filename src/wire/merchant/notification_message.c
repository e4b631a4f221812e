#include "wire/merchant/notification_message.h"

#include "domain/currency.h"
#include "wire/json_write.h"

static void add_fields(struct json_object *message, const struct notification *notification, const char *checksum) {
    char amount[MONEY_TEXT_SIZE];
    json_write_add(message, "pv_po_id", json_object_new_uint64(notification->order_id));
    json_write_text(message, "po_id", notification->po_id);
    json_write_text(message, "status", text_of(notification_status_name(notification->status)));
    json_write_text(message, "pv_checksum", text_of(checksum));
    json_write_text(message, "amount", text_of(currency_print(notification->currency, notification->amount, amount)));
    json_write_text(message, "iso_currency", notification->currency);
    json_write_text(message, "pv_payment", notification->payment_means);
}

struct text notification_message_render(const struct notification *notification, const char *checksum,
                                        struct arena *arena) {
    struct json_object *message = json_write_new();
    add_fields(message, notification, checksum);
    return json_write_end(message, arena);
}
