/*
 * Builds the JSON objects that recaudo sends: replies, notifications and external queries. Aborts when memory runs out.
 * Used inside src/wire only.
 */
#ifndef RECAUDO_WIRE_JSON_WRITE_H
#define RECAUDO_WIRE_JSON_WRITE_H

#include "base/arena.h"
#include "domain/money.h"

#include <json-c/json.h>

/* Returns an empty object. The caller passes it to json_write_end or adds it to another object, which then owns it. */
struct json_object *json_write_new(void);

/* Each adds a member. `key` is a constant string and is not copied. The object takes ownership of `value`. */
void json_write_add(struct json_object *object, const char *key, struct json_object *value);
void json_write_text(struct json_object *object, const char *key, struct text value);

/* Adds a JSON number with the decimals of the currency's minor unit. */
void json_write_money(struct json_object *object, const char *key, struct money amount, struct text currency);

/* Prints the object without spaces into the arena and frees it. */
struct text json_write_end(struct json_object *object, struct arena *arena);

#endif
