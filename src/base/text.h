/* A piece of text: a pointer and a length, not NUL-terminated. It never owns its memory. The function that returns a
 * text says how long it is valid. */
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

/* Compares valid UTF-8 ignoring the case of letters. */
bool text_equal_any_case(struct text a, struct text b);

/* Returns the index of the first of these names that equals `name`, or `count`. */
size_t text_place_in(struct text name, const char *const *names, size_t count);

/* Defines a function that reads a value of an enum by its name. It returns false, with *out unchanged, for any other
 * text. */
#define TEXT_DEFINE_PARSE(function, type, names)                                                                       \
    bool function(struct text name, type *out) {                                                                       \
        size_t place = text_place_in(name, names, COUNT_OF(names));                                                    \
        if (place < COUNT_OF(names)) {                                                                                 \
            *out = (type)place;                                                                                        \
        }                                                                                                              \
        return place < COUNT_OF(names);                                                                                \
    }                                                                                                                  \
    _Static_assert(COUNT_OF(names) > 0, "so that a semicolon may follow")

bool text_begins(struct text whole, struct text start);

/* Returns `whole` without spaces and tabs at both ends. */
struct text text_trim(struct text whole);

/* Removes the first word, which ends at a space or tab, from *rest and returns it; empty if there is none. */
struct text text_next_word(struct text *rest);

/* Removes the text up to the separator, or all if there is none, from *rest and returns it. Drops the separator. */
struct text text_cut(struct text *rest, char separator);

/* Counts the characters (code points) of valid UTF-8. */
size_t text_characters(struct text utf8);

/* Returns the first `characters` characters of valid UTF-8, or all if there are fewer. */
struct text text_start(struct text utf8, size_t characters);

/* Whether it is an ASCII digit, or an ASCII letter or digit. */
bool text_is_digit(char c);
bool text_is_letter_or_digit(char c);

/* Whether all characters, if any, are ASCII digits. */
bool text_is_digits(struct text text);

/* Whether the text contains a control character: U+0000 to U+001F, U+007F to U+009F. */
bool text_has_control(struct text utf8);

/* Reads decimal digits. Returns false, with *out unchanged, for anything else and for more than UINT64_MAX. */
MUST_USE bool text_to_number(struct text digits, uint64_t *out);

/* Printf arguments for "%.*s". */
#define TEXT_ARGS(t) (int)(t).size, (t).at

#endif
