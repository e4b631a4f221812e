/* Quotes names in commands that a message suggests, because people paste them into a shell. */
#ifndef RECAUDO_CTL_CORE_SHELL_WORD_H
#define RECAUDO_CTL_CORE_SHELL_WORD_H

#include "base/arena.h"

/* Returns the word in single quotes if it is empty or has characters other than letters, digits and ._-; else as it is.
 * In the arena. */
const char *shell_word(struct arena *arena, struct text word);

#endif
