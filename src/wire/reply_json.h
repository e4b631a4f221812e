/* The parts common to all replies: CODE, TEXT and the HTTP status. Used inside src/wire only. */
#ifndef RECAUDO_WIRE_REPLY_JSON_H
#define RECAUDO_WIRE_REPLY_JSON_H

#include "wire/json_write.h"
#include "wire/reply.h"
#include "wire/reply_code.h"

/* Completes a reply. Takes ownership of `data`, which may be NULL. `described`: adds DESC, equal to TEXT, for
 * merchants.
 */
struct reply reply_json_finish(enum refusal refusal, struct text text, struct json_object *data, bool described,
                               struct arena *arena);

/* Returns the TEXT of a refusal and its fault. */
struct text reply_refusal_text(enum refusal refusal, const struct fault *fault, struct arena *arena);

#endif
