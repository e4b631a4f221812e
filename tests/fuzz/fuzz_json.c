/* What passes the strict reading is JSON for json-c too, with the same members, and so is what json-c makes of it. */
#include "base/arena.h"
#include "fuzz.h"
#include "wire/json_check.h"

#include <json-c/json.h>

static struct json_object *parse(struct text text) {
    struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX + 1);
    struct json_object *parsed = json_tokener_parse_ex(tokener, text.at, (int)text.size);
    json_tokener_free(tokener);
    return parsed;
}

static size_t count_members(struct json_object *value) {
    size_t count = 0;
    if (json_object_is_type(value, json_type_object)) {
        json_object_object_foreach(value, key, member) {
            (void)key;
            count += 1 + count_members(member);
        }
    } else if (json_object_is_type(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            count += count_members(json_object_array_get_idx(value, i));
        }
    }
    return count;
}

/* Each member's text in the body is its value. A number alone would not end for the library, so it gets a bracket. */
static void check_literals(struct text body, struct json_object *object) {
    struct arena *arena = arena_create();
    size_t index = 0;
    json_object_object_foreach(object, key, member) {
        struct text literal = json_member_literal(body, index++);
        (void)key;
        assert(literal.size > 0);
        struct json_object *array = parse(arena_print(arena, "[%.*s]", TEXT_ARGS(literal)));
        assert(array != NULL && json_object_array_length(array) == 1);
        assert(json_object_equal(json_object_array_get_idx(array, 0), member));
        json_object_put(array);
    }
    arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text body = {(const char *)data, size};
    size_t members = 0, members_again = 0;
    struct fault fault;
    if (!json_check(body, &members, &fault)) {
        return 0;
    }
    struct json_object *object = parse(body);
    assert(json_object_is_type(object, json_type_object));
    size_t distinct = count_members(object);
    assert(distinct <= members);
    if (distinct == members) {
        check_literals(body, object);
    }
    assert(json_check(text_of(json_object_to_json_string(object)), &members_again, &fault));
    assert(members_again == distinct);
    json_object_put(object);
    return 0;
}
