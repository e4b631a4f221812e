#include "wire/merchant/external_query.h"

#include "base/memory.h"

#include <json-c/json.h>

static void add(struct json_object *message, const char *key, struct json_object *value) {
    if (value == NULL || json_object_object_add_ex(message, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0) {
        abort();
    }
}

static void add_text(struct json_object *message, const char *key, struct text value) {
    add(message, key, json_object_new_string_len(value.at, (int)value.size));
}

static void add_number(struct json_object *message, const char *key, struct text value) {
    uint64_t number = 0;
    if (!text_to_number(value, &number)) {
        abort();
    }
    add(message, key, json_object_new_uint64(number));
}

struct text external_query_render(const struct external_query_values *values, const char *checksum,
                                  struct arena *arena) {
    struct json_object *message = memory_needed(json_object_new_object());
    add_text(message, "reference", values->reference);
    add_text(message, "netname", values->netname);
    add_number(message, "currency", values->currency);
    add_number(message, "timestamp_start", values->timestamp_start);
    add_text(message, "checksum", text_of(checksum));
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
