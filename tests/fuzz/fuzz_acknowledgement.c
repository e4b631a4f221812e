/* What a merchant says to a notification: white space around it changes nothing, and where it is strict JSON, json-c
 * finds the same status. */
#include "base/arena.h"
#include "domain/notification/delivery.h"
#include "fuzz.h"
#include "wire/json_check.h"
#include "wire/merchant/acknowledgement.h"

#include <json-c/json.h>

static bool is_ok(struct json_object *value) {
    return json_object_is_type(value, json_type_string) &&
           text_equal_any_case(text_of(json_object_get_string(value)), TEXT("OK"));
}

static bool json_says_ok(struct text body, size_t *members) {
    struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX + 1);
    struct json_object *object = json_tokener_parse_ex(tokener, body.at, (int)body.size);
    bool ok = false, other = false;
    *members = 0;
    json_object_object_foreach(object, key, value) {
        if (text_equal_any_case(text_of(key), TEXT("status"))) {
            *(is_ok(value) ? &ok : &other) = true;
        }
        (*members)++;
    }
    json_object_put(object);
    json_tokener_free(tokener);
    return ok && !other;
}

/* Without escapes, which the tolerant reading takes as they stand, without inner objects, and without a key twice. */
static void check_strict(struct text body, bool says_ok) {
    size_t members, distinct;
    struct fault fault;
    if (json_check(body, &members, &fault) && memchr(body.at, '\\', body.size) == NULL) {
        bool expected = json_says_ok(body, &distinct);
        assert(distinct != members || expected == says_ok);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct text body = {(const char *)data, size};
    enum reply_says says = acknowledgement_says(body);
    struct arena *arena = arena_create();
    struct text spaced = {arena_alloc(arena, size + 4), size + 4};
    char *bytes = memset((char *)spaced.at, '\n', spaced.size);
    memcpy(bytes + 2, data, size);
    assert(acknowledgement_says(spaced) == says || text_begins(body, TEXT("\xEF\xBB\xBF")));
    for (int status = 100; status < 600; status += 100) {
        bool delivered = delivery_judge(ACKNOWLEDGE_STRICT, status, body, says) == DELIVERED;
        bool any = delivery_judge(ACKNOWLEDGE_ANY_2XX, status, body, says) == DELIVERED;
        assert(!delivered || status == 200);
        assert(says != REPLY_SAYS_OK || status != 200 || delivered);
        assert(any == (status == 200 && says != REPLY_SAYS_ERROR));
    }
    check_strict(body, says == REPLY_SAYS_OK);
    arena_destroy(arena);
    return 0;
}
