#include "wire/reply_json.h"

#include "base/memory.h"
#include "domain/currency.h"

void reply_json_add(struct json_object *object, const char *key, struct json_object *value) {
    if (value == NULL || json_object_object_add_ex(object, key, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) != 0) {
        abort();
    }
}

void reply_json_text(struct json_object *object, const char *key, struct text value) {
    reply_json_add(object, key, json_object_new_string_len(value.size == 0 ? "" : value.at, (int)value.size));
}

/* The library's double is never looked at. */
void reply_json_money(struct json_object *object, const char *key, struct money amount, struct text currency) {
    char printed[MONEY_TEXT_SIZE];
    reply_json_add(object, key, json_object_new_double_s(0, currency_print(currency, amount, printed)));
}

struct json_object *reply_json_new(void) {
    struct json_object *object = memory_needed(json_object_new_object());
    return object;
}

struct reply reply_json_finish(enum refusal refusal, struct text text, struct json_object *data, bool described,
                               struct arena *arena) {
    const struct reply_code *code = reply_code_of(refusal);
    struct json_object *body = reply_json_new();
    reply_json_text(body, "CODE", text_of(code->code));
    reply_json_text(body, "TEXT", text);
    if (described) {
        reply_json_text(body, "DESC", text);
    }
    if (data != NULL) {
        reply_json_add(body, "DATA", data);
    }
    size_t size;
    const char *printed =
        json_object_to_json_string_length(body, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    if (printed == NULL) {
        abort();
    }
    struct reply reply = {
        .http_status = code->http_status, .code = code->code, .body = arena_copy(arena, (struct text){printed, size})};
    json_object_put(body);
    return reply;
}

struct text reply_refusal_text(enum refusal refusal, const struct fault *fault, struct arena *arena) {
    struct text text = text_of(reply_code_of(refusal)->text);
    if (fault->field != NULL && fault->problem != NULL) {
        text = arena_print(arena, "%.*s: %s %s", TEXT_ARGS(text), fault->field, fault->problem);
        if (fault->most > 0) {
            text = arena_print(arena, "%.*s: at most %u characters", TEXT_ARGS(text), fault->most);
        }
    }
    return text;
}
