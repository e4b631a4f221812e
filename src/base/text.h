/* A piece of text: a pointer and a length, not terminated, never owned. Whoever made the memory says how long it
 * lives. */
#ifndef RECAUDO_BASE_TEXT_H
#define RECAUDO_BASE_TEXT_H

#include "base/base.h"

struct text {
    const char *at; /* may be NULL when size is 0 */
    size_t size;    /* bytes */
};

#define TEXT(literal) ((struct text){(literal), sizeof(literal) - 1})

struct text text_of(const char *string);

bool text_equal(struct text a, struct text b);

/* Without regard to the case of letters, of valid UTF-8. */
bool text_equal_any_case(struct text a, struct text b);

bool text_begins(struct text whole, struct text start);

/* The same, without spaces and tabs at both ends. */
struct text text_trim(struct text whole);

/* The first word of `rest`, between spaces and tabs, and takes it off `rest`; empty when there is none. */
struct text text_next_word(struct text *rest);

/* Characters (code points) of valid UTF-8. */
size_t text_characters(struct text utf8);

/* Its first characters, at most so many, of valid UTF-8. */
struct text text_start(struct text utf8, size_t characters);

/* True when it holds a control character: U+0000 to U+001F, U+007F to U+009F. */
bool text_has_control(struct text utf8);

/* Decimal digits only, at most UINT64_MAX. */
MUST_USE bool text_to_number(struct text digits, uint64_t *out);

/* Printf arguments for "%.*s". */
#define TEXT_ARGS(t) (int)(t).size, (t).at

#endif
