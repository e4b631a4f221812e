#include "store/db/json.h"

#include "base/hex.h"

#include <inttypes.h>

enum { ROOM_FIRST = 256, NUMBER_BYTES = 21 };

/* Returns where `size` more bytes and a NUL fit. */
static char *make_room(struct json *json, size_t size) {
    size_t needed = json->used + size + 1;
    if (needed > json->room) {
        json->room = 2 * json->room > needed ? 2 * json->room : needed;
        json->at = arena_enlarge(json->arena, json->at, json->used, json->room);
    }
    return json->at + json->used;
}

static void put_bytes(struct json *json, const char *bytes, size_t size) {
    memcpy(make_room(json, size), bytes, size);
    json->used += size;
}

/* Called before each value and key. */
static void put_comma(struct json *json) {
    if (json->needs_comma) {
        put_bytes(json, ",", 1);
    }
    json->needs_comma = true;
}

struct json json_begin(struct arena *arena, char bracket) {
    struct json json = {.arena = arena, .at = arena_alloc(arena, ROOM_FIRST), .room = ROOM_FIRST};
    put_bytes(&json, &bracket, 1);
    return json;
}

struct text json_end(struct json *json, char bracket) {
    put_bytes(json, &bracket, 1);
    return (struct text){json->at, json->used};
}

void json_open(struct json *json, char bracket) {
    put_comma(json);
    put_bytes(json, &bracket, 1);
    json->needs_comma = false;
}

void json_close(struct json *json, char bracket) {
    put_bytes(json, &bracket, 1);
    json->needs_comma = true;
}

void json_key(struct json *json, const char *key) {
    json_text(json, text_of(key));
    put_bytes(json, ":", 1);
    json->needs_comma = false;
}

void json_number(struct json *json, uint64_t value) {
    put_comma(json);
    json->used += (size_t)snprintf(make_room(json, NUMBER_BYTES), NUMBER_BYTES, "%" PRIu64, value);
}

void json_signed(struct json *json, int64_t value) {
    put_comma(json);
    json->used += (size_t)snprintf(make_room(json, NUMBER_BYTES), NUMBER_BYTES, "%" PRId64, value);
}

void json_text(struct json *json, struct text value) {
    put_comma(json);
    char *start = make_room(json, 2 * value.size + 2), *to = start;
    *to++ = '"';
    for (size_t i = 0; i < value.size; i++) {
        if (value.at[i] == '"' || value.at[i] == '\\') {
            *to++ = '\\';
        }
        *to++ = value.at[i];
    }
    *to++ = '"';
    json->used += (size_t)(to - start);
}

void json_text_or_null(struct json *json, struct text value) {
    if (value.size > 0) {
        json_text(json, value);
    } else {
        put_comma(json);
        put_bytes(json, "null", 4);
    }
}

void json_hex(struct json *json, struct text bytes) {
    put_comma(json);
    put_bytes(json, "\"", 1);
    json->used += hex_print(bytes.at, bytes.size, make_room(json, 2 * bytes.size));
    put_bytes(json, "\"", 1);
}
