/* What all replies have: CODE, TEXT and the status of HTTP. For the files of src/wire. */
#ifndef RECAUDO_WIRE_REPLY_JSON_H
#define RECAUDO_WIRE_REPLY_JSON_H

#include "wire/json_write.h"
#include "wire/reply.h"
#include "wire/reply_code.h"

/* The whole reply. Takes `data`, which may be NULL. `described`: DESC says the same as TEXT, for merchants. */
struct reply reply_json_finish(enum refusal refusal, struct text text, struct json_object *data, bool described,
                               struct arena *arena);

/* The words for a refusal and its fault. */
struct text reply_refusal_text(enum refusal refusal, const struct fault *fault, struct arena *arena);

#endif
