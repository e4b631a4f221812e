#include "wire/merchant/notification_message.h"

#include "base/memory.h"
#include "domain/currency.h"

#include <json-c/json.h>

static void add(struct json_object *message, const char *key, struct json_object *value) {
    if (value == NULL || json_object_object_add_ex(message, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0) {
        abort();
    }
}

static void add_text(struct json_object *message, const char *key, struct text value) {
    add(message, key, json_object_new_string_len(value.size == 0 ? "" : value.at, (int)value.size));
}

static void add_fields(struct json_object *message, const struct notification *notification, const char *checksum) {
    char amount[MONEY_TEXT_SIZE];
    add(message, "pv_po_id", json_object_new_uint64(notification->order_id));
    add_text(message, "po_id", notification->po_id);
    add_text(message, "status", text_of(notification_status_name(notification->status)));
    add_text(message, "pv_checksum", text_of(checksum));
    add_text(message, "amount", text_of(currency_print(notification->currency, notification->amount, amount)));
    add_text(message, "iso_currency", notification->currency);
    add_text(message, "pv_payment", notification->payment_means);
}

struct text notification_message_render(const struct notification *notification, const char *checksum,
                                        struct arena *arena) {
    struct json_object *message = memory_needed(json_object_new_object());
    add_fields(message, notification, checksum);
    size_t size;
    const char *printed =
        json_object_to_json_string_length(message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    if (printed == NULL) {
        abort();
    }
    struct text body = arena_copy(arena, (struct text){printed, size});
    json_object_put(message);
    return body;
}
