/*
 * Builds the JSON objects that recaudo sends: replies, notifications and external queries. Aborts when memory runs out.
 * For the files of src/wire.
 */
#ifndef RECAUDO_WIRE_JSON_WRITE_H
#define RECAUDO_WIRE_JSON_WRITE_H

#include "base/arena.h"
#include "domain/money.h"

#include <json-c/json.h>

/* An empty object. json_write_end, or adding it to another object, ends its life. */
struct json_object *json_write_new(void);

/* Each adds a member. `key` is a constant string and is not copied; the object owns `value`. */
void json_write_add(struct json_object *object, const char *key, struct json_object *value);
void json_write_text(struct json_object *object, const char *key, struct text value);

/* A JSON number with the decimals of the currency's minor unit. */
void json_write_money(struct json_object *object, const char *key, struct money amount, struct text currency);

/* Prints the object without spaces and frees it. The text is the arena's. */
struct text json_write_end(struct json_object *object, struct arena *arena);

#endif
