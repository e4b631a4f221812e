/* UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef RECAUDO_BASE_UTF8_H
#define RECAUDO_BASE_UTF8_H

#include "base/arena.h"

/* The byte order mark that some programs write before UTF-8. */
#define UTF8_MARK "\xEF\xBB\xBF"

/* Returns the length of the text's first character, 1 to 4 bytes; 0 if it is not valid. */
size_t utf8_character(const unsigned char *at, size_t size);

bool utf8_is_valid(struct text text);

/* Replaces each byte that belongs to no valid character by U+FFFD. */
struct text utf8_repair(struct text bytes, struct arena *arena);

#endif
