/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef RECAUDO_BASE_UTF8_H
#define RECAUDO_BASE_UTF8_H

#include "base/arena.h"

/* Length of the character that begins the text, 1 to 4; 0 when no valid one does. */
size_t utf8_character(const unsigned char *at, size_t size);

bool utf8_is_valid(struct text text);

/* Any bytes as valid UTF-8: each byte that belongs to no character becomes U+FFFD. */
struct text utf8_repair(struct text bytes, struct arena *arena);

#endif
