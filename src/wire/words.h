/* Text that people read in one line, as the specification bounds it (`^[\w -]+$`). */
#ifndef RECAUDO_WIRE_WORDS_H
#define RECAUDO_WIRE_WORDS_H

#include "base/text.h"

/*
 * At least one character, and nothing but letters and digits of every alphabet, the marks that belong to them (an
 * accent, a vowel sign), `_`, space and `-`. False also for what is not valid UTF-8. For any thread.
 */
bool words_are_valid(struct text value);

#endif
