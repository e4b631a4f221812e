/* Names in commands that a message advises: they are pasted into a shell. */
#ifndef RECAUDO_CTL_CORE_SHELL_WORD_H
#define RECAUDO_CTL_CORE_SHELL_WORD_H

#include "base/arena.h"

/* The word as a shell reads it: in single quotes where it has anything but letters, digits and ._-, or is empty. In the
 * arena. */
const char *shell_word(struct arena *arena, struct text word);

#endif
