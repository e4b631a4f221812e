/* Building a reply's JSON; running out of memory aborts. For the files of this folder. */
#ifndef RECAUDO_WIRE_REPLY_JSON_H
#define RECAUDO_WIRE_REPLY_JSON_H

#include "wire/reply.h"
#include "wire/reply_code.h"

#include <json-c/json.h>

struct json_object *reply_json_new(void);

/* Each takes `key`, a constant string, as it is. */
void reply_json_add(struct json_object *object, const char *key, struct json_object *value);
void reply_json_text(struct json_object *object, const char *key, struct text value);

/* A JSON number printed from the decimal with the digits of the currency's minor unit. */
void reply_json_money(struct json_object *object, const char *key, struct money amount, struct text currency);

/* The whole reply. Takes `data`, which may be NULL. `described`: DESC says the same as TEXT, for merchants. */
struct reply reply_json_finish(enum refusal refusal, struct text text, struct json_object *data, bool described,
                               struct arena *arena);

/* The words for a refusal and its fault. */
struct text reply_refusal_text(enum refusal refusal, const struct fault *fault, struct arena *arena);

#endif
