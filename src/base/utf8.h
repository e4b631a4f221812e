/* UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef RECAUDO_BASE_UTF8_H
#define RECAUDO_BASE_UTF8_H

#include "base/arena.h"

/* Length of the text's first character, 1 to 4 bytes; 0 if it is not valid. */
size_t utf8_character(const unsigned char *at, size_t size);

bool utf8_is_valid(struct text text);

/* Any bytes as valid UTF-8: each byte that belongs to no character becomes U+FFFD. */
struct text utf8_repair(struct text bytes, struct arena *arena);

#endif
