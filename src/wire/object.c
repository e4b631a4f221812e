#include "wire/object.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "wire/json_check.h"

#include <errno.h>
#include <json-c/json.h>
#include <json-c/printbuf.h>
#include <limits.h>

/* Members of all objects in the tree. */
static size_t count_members(struct json_object *value) {
    size_t count = 0;
    if (json_object_is_type(value, json_type_object)) {
        struct lh_entry *entry;
        for (entry = json_object_get_object(value)->head; entry != NULL; entry = lh_entry_next(entry)) {
            count += 1 + count_members((struct json_object *)lh_entry_v(entry));
        }
    } else if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            count += count_members(json_object_array_get_idx(value, i));
        }
    }
    return count;
}

/*
 * Recognises bodies that are commonly sent instead of JSON, and returns a hint; else NULL. A form is text, and has a
 * `=` with no brace before it.
 */
static const char *foreign_form(struct text body) {
    static const struct {
        struct text begins;
        const char *problem;
    } FORMS[] = {
        {{UTF8_MARK, 3}, "begins with a byte order mark: send UTF-8 without one"},
        {{"\xFF\xFE", 2}, "is UTF-16: send UTF-8"},
        {{"\xFE\xFF", 2}, "is UTF-16: send UTF-8"},
        {{"{\0", 2}, "is UTF-16: send UTF-8"},
        {{"\0{", 2}, "is UTF-16: send UTF-8"},
        {{"\x1F\x8B", 2}, "is compressed: send it as it is, without Content-Encoding"},
        {{"[", 1}, "is an array: send one object, {...}"},
        {{"<", 1}, "is XML or HTML: send one JSON object, {...}"},
    };
    for (size_t i = 0; i < COUNT_OF(FORMS); i++) {
        if (text_begins(body, FORMS[i].begins)) {
            return FORMS[i].problem;
        }
    }
    const char *equals = body.size == 0 ? NULL : memchr(body.at, '=', body.size);
    bool is_form = equals != NULL && memchr(body.at, '{', (size_t)(equals - body.at)) == NULL && utf8_is_valid(body);
    return is_form ? "is form-encoded: send one JSON object, {...}" : NULL;
}

/*
 * NULL: invalid. If the library lacks memory, it truncates texts and omits members. So the buffer in which it assembles
 * a text or number gets its full size beforehand, and errno shows whether another allocation failed.
 */
static struct json_object *parse_checked(struct text body) {
    struct json_tokener *tokener = memory_needed(json_tokener_new_ex(JSON_DEPTH_MAX + 1));
    errno = 0;
    bool has_room = printbuf_memset(tokener->pb, 0, 0, (int)body.size + 1) == 0;
    struct json_object *object = has_room ? json_tokener_parse_ex(tokener, body.at, (int)body.size) : NULL;
    if (errno == ENOMEM) {
        abort();
    }
    json_tokener_free(tokener);
    return object;
}

static struct json_object *parse_json(struct text body, struct fault *fault) {
    size_t members = 0;
    *fault = (struct fault){.field = "the body", .problem = foreign_form(body)};
    if (fault->problem != NULL || !json_check(body, &members, fault) || body.size >= INT_MAX) {
        return NULL;
    }
    struct json_object *object = parse_checked(body);
    if (object == NULL) {
        fault->problem = "is not valid JSON";
    } else if (count_members(object) != members) {
        fault->problem = "has the same key twice";
        fault->remedy = "send each key once";
        json_object_put(object);
        object = NULL;
    } else {
        *fault = (struct fault){0};
    }
    return object;
}

/* Returns the value as text. False: it has a type that the field does not take. */
static bool value_text(const struct field *field, struct json_object *value, struct text *out) {
    if (json_object_is_type(value, json_type_string)) {
        *out = (struct text){json_object_get_string(value), (size_t)json_object_get_string_len(value)};
        return true;
    }
    if (field->or_boolean && json_object_is_type(value, json_type_boolean)) {
        *out = json_object_get_boolean(value) ? TEXT("true") : TEXT("false");
        return true;
    }
    return false;
}

/* How one message is read. */
struct reading {
    struct text body;
    struct arena *arena;
    void *message;
    struct fault *fault;
    enum refusal (*read_field)(const struct reading *reading, struct json_object *object, const struct field *field);
};

static enum refusal take_field_value(const struct reading *reading, const struct field *field, struct text text) {
    struct text *to = (struct text *)((char *)reading->message + field->at);
    *to = arena_copy(reading->arena, text);
    return field_judge(field, *to, reading->fault);
}

static enum refusal read_strict(const struct reading *reading, struct json_object *object, const struct field *field) {
    struct json_object *value;
    struct text text;
    if (!json_object_object_get_ex(object, field->name, &value)) {
        return field_judge_absent(field, reading->fault);
    }
    if (!value_text(field, value, &text)) {
        *reading->fault = (struct fault){.field = field->name, .problem = "must be a string, in quotes"};
        return REFUSED_FIELD;
    }
    return take_field_value(reading, field, text);
}

/* The library keeps the order of members but not how a number was written, so the text is taken from the body. */
static struct text number_text(struct json_object *object, struct text body, const char *name) {
    size_t index = 0;
    for (struct lh_entry *entry = json_object_get_object(object)->head; entry != NULL; entry = lh_entry_next(entry)) {
        if (strcmp(lh_entry_k(entry), name) == 0) {
            break;
        }
        index++;
    }
    return json_member_literal(body, index);
}

static enum refusal read_tolerant(const struct reading *reading, struct json_object *object,
                                  const struct field *field) {
    struct json_object *value = NULL;
    struct text text = {NULL, 0};
    json_object_object_get_ex(object, field->name, &value);
    if (json_object_is_type(value, json_type_int) || json_object_is_type(value, json_type_double)) {
        text = number_text(object, reading->body, field->name);
    } else if (value != NULL && !value_text(field, value, &text)) {
        *reading->fault = (struct fault){.field = field->name, .problem = "must be a string or a number"};
        return REFUSED_FIELD;
    }
    return text.size == 0 ? field_judge_absent(field, reading->fault) : take_field_value(reading, field, text);
}

static enum refusal read_fields(const struct reading *reading, struct json_object *object, const struct field *fields,
                                size_t count) {
    enum refusal refusal = GRANTED;
    for (size_t i = 0; refusal == GRANTED && i < count; i++) {
        refusal = reading->read_field(reading, object, &fields[i]);
    }
    return refusal;
}

static enum refusal read_json_body(const struct reading *reading, const struct field *fields, size_t count) {
    struct json_object *object = parse_json(reading->body, reading->fault);
    if (object == NULL) {
        return REFUSED_NOT_JSON;
    }
    enum refusal refusal = read_fields(reading, object, fields, count);
    json_object_put(object);
    return refusal;
}

enum refusal object_read(struct text body, const struct field *fields, size_t count, struct arena *arena, void *message,
                         struct fault *fault) {
    return read_json_body(&(struct reading){body, arena, message, fault, read_strict}, fields, count);
}

enum refusal object_read_tolerant(struct text body, const struct field *fields, size_t count, struct arena *arena,
                                  void *message, struct fault *fault) {
    return read_json_body(&(struct reading){body, arena, message, fault, read_tolerant}, fields, count);
}

enum refusal object_read_inner(struct text body, const char *name, const struct field *fields, size_t count,
                               struct arena *arena, void *message, struct fault *fault) {
    struct json_object *inner = NULL, *object = parse_json(body, fault);
    if (object == NULL) {
        return REFUSED_NOT_JSON;
    }
    enum refusal refusal = REFUSED_FIELD;
    if (!json_object_object_get_ex(object, name, &inner)) {
        *fault = (struct fault){.field = name, .problem = "is missing"};
    } else if (!json_object_is_type(inner, json_type_object)) {
        *fault = (struct fault){.field = name, .problem = "is not an object"};
    } else {
        refusal = read_fields(&(struct reading){body, arena, message, fault, read_strict}, inner, fields, count);
    }
    json_object_put(object);
    return refusal;
}
