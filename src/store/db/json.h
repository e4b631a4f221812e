/*
 * Writes a JSON array that a statement reads with JSON_TABLE, so that many rows travel in one round trip. For the files
 * of src/store.
 *
 *     struct json json = json_begin(arena, '[');
 *     json_open(&json, '{'); json_key(&json, "id"); json_number(&json, id); json_close(&json, '}');
 *     struct text array = json_end(&json, ']');
 *
 * Commas are inserted. The text lies in the arena and grows there.
 */
#ifndef RECAUDO_STORE_DB_JSON_H
#define RECAUDO_STORE_DB_JSON_H

#include "base/arena.h"

struct json {
    struct arena *arena;
    char *at;
    size_t used, room;
    bool needs_comma;
};

/* Opens and closes the outermost array ('[') or object ('{'). json_end returns the complete text. */
struct json json_begin(struct arena *arena, char bracket);
struct text json_end(struct json *json, char bracket);

/* Open and close an array or object within it. */
void json_open(struct json *json, char bracket);
void json_close(struct json *json, char bracket);

/* Writes the name of the value that follows; it must need no escapes. */
void json_key(struct json *json, const char *key);

void json_number(struct json *json, uint64_t value);
void json_signed(struct json *json, int64_t value);

/* `value`: UTF-8 without control characters. Quotes and backslashes are escaped. */
void json_text(struct json *json, struct text value);
void json_text_or_null(struct json *json, struct text value); /* empty: null */

/* Writes bytes as a string of hex digits. */
void json_hex(struct json *json, struct text bytes);

#endif
