/* Reads a JSON body into a message by a table of fields. */
#ifndef RECAUDO_WIRE_OBJECT_H
#define RECAUDO_WIRE_OBJECT_H

#include "base/arena.h"
#include "wire/field.h"

/*
 * Reads `body` into the struct texts of `message`, copied into the arena. Keys that the table does not name are
 * ignored. GRANTED; REFUSED_NOT_JSON (no object, duplicate keys, ...); REFUSED_FIELD (missing, or not a string);
 * the field's own refusal.
 */
enum refusal object_read(struct text body, const struct field *fields, size_t count, struct arena *arena, void *message,
                         struct fault *fault);

/*
 * The same for merchants' clients, which are less exact: a JSON number is taken as the text it is written with, and
 * null and "" mean that the field is absent.
 */
enum refusal object_read_tolerant(struct text body, const struct field *fields, size_t count, struct arena *arena,
                                  void *message, struct fault *fault);

/* The same for the fields of the object that is the member `name` of the body's object. */
enum refusal object_read_inner(struct text body, const char *name, const struct field *fields, size_t count,
                               struct arena *arena, void *message, struct fault *fault);

#endif
