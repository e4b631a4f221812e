#include "wire/merchant/external_query.h"

#include "wire/json_write.h"

static void add_written_number(struct json_object *message, const char *key, struct text value) {
    uint64_t number = 0;
    if (!text_to_number(value, &number)) {
        abort();
    }
    json_write_add(message, key, json_object_new_uint64(number));
}

struct text external_query_render(const struct external_query_values *values, const char *checksum,
                                  struct arena *arena) {
    struct json_object *message = json_write_new();
    json_write_text(message, "reference", values->reference);
    json_write_text(message, "netname", values->netname);
    add_written_number(message, "currency", values->currency);
    add_written_number(message, "timestamp_start", values->timestamp_start);
    json_write_text(message, "checksum", text_of(checksum));
    return json_write_end(message, arena);
}
