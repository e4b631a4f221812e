/* Request targets: percent-decoding (once) and query parameters. */
#ifndef RECAUDO_WIRE_URI_H
#define RECAUDO_WIRE_URI_H

#include "base/arena.h"
#include "wire/field.h"

/* Decodes a path. False: a malformed escape, an escaped slash or NUL, or not UTF-8. */
MUST_USE bool uri_decode_path(struct text raw, struct arena *arena, struct text *out);

/*
 * Reads a query (name=value&...) into the struct texts of `message` by a table of fields. Parameters that the table
 * does not name are ignored. Returns GRANTED, the field's refusal, or REFUSED_FIELD, also for a parameter that is
 * repeated or has a malformed escape.
 */
enum refusal uri_read_query(struct text query, const struct field *fields, size_t count, struct arena *arena,
                            void *message, struct fault *fault);

/* The remedy for a malformed escape. */
#define URI_ESCAPE "write % and two hex digits for each byte of UTF-8"

/* Returns the decoded value of a parameter. False: it is absent or repeated, or has a malformed escape. */
MUST_USE bool uri_parameter(struct text query, struct text name, struct arena *arena, struct text *out);

/* Removes the first parameter from *rest, which is not empty, and decodes it. False: it has a malformed escape. */
MUST_USE bool uri_next_parameter(struct text *rest, struct arena *arena, struct text *name, struct text *value);

#endif
