#include "wire/json_write.h"

#include "base/memory.h"
#include "domain/currency.h"

#include <errno.h>

struct json_object *json_write_new(void) {
    struct json_object *object = memory_needed(json_object_new_object());
    return object;
}

void json_write_add(struct json_object *object, const char *key, struct json_object *value) {
    if (value == NULL || json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0) {
        abort();
    }
}

void json_write_text(struct json_object *object, const char *key, struct text value) {
    json_write_add(object, key, json_object_new_string_len(value.size == 0 ? "" : value.at, (int)value.size));
}

/* The library prints the given text and never reads the double. */
void json_write_money(struct json_object *object, const char *key, struct money amount, struct text currency) {
    char printed[MONEY_TEXT_SIZE];
    json_write_add(object, key, json_object_new_double_s(0, currency_print(currency, amount, printed)));
}

/* The library omits what it has no memory for, and reports this in errno only. */
struct text json_write_end(struct json_object *object, struct arena *arena) {
    size_t size;
    errno = 0;
    const char *printed =
        json_object_to_json_string_length(object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    if (printed == NULL || errno == ENOMEM) {
        abort();
    }
    struct text body = arena_copy(arena, (struct text){printed, size});
    json_object_put(object);
    return body;
}
