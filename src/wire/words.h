/* Names and descriptions of one line, as the specification restricts them (`^[\w -]+$`). */
#ifndef RECAUDO_WIRE_WORDS_H
#define RECAUDO_WIRE_WORDS_H

#include "base/text.h"

/*
 * True for one or more letters and digits of any alphabet, combining marks (accents, vowel signs), `_`, spaces and `-`.
 * False for anything else, also for invalid UTF-8. Safe for use by several threads.
 */
bool words_are_valid(struct text value);

#endif
