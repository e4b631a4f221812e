/* Reads a JSON body into a message by a table of fields. */
#ifndef RECAUDO_WIRE_OBJECT_H
#define RECAUDO_WIRE_OBJECT_H

#include "base/arena.h"
#include "wire/field.h"

/*
 * Reads `body` into the struct texts of `message`, copied into the arena. Keys that the table does not name are
 * ignored.
 *
 * GRANTED.
 * REFUSED_NOT_JSON: no valid object, or a repeated key.
 * REFUSED_FIELD: a required field is missing, or a value is not a string.
 * The field's own refusal (wire/field.h): its value is not valid.
 */
enum refusal object_read(struct text body, const struct field *fields, size_t count, struct arena *arena, void *message,
                         struct fault *fault);

/*
 * The same for requests of merchants, whose clients are less strict: a JSON number is read as the text it is written
 * with, and null and "" mean that the field is absent.
 */
enum refusal object_read_tolerant(struct text body, const struct field *fields, size_t count, struct arena *arena,
                                  void *message, struct fault *fault);

/* The same for the fields of an inner object, the member `name` of the body. */
enum refusal object_read_inner(struct text body, const char *name, const struct field *fields, size_t count,
                               struct arena *arena, void *message, struct fault *fault);

#endif
