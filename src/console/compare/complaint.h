/* What is wrong with a network's list, in the reader's language: the functions that read it say so in English. */
#ifndef RECAUDO_CONSOLE_COMPARE_COMPLAINT_H
#define RECAUDO_CONSOLE_COMPARE_COMPLAINT_H

#include "base/arena.h"
#include "console/core/texts.h"

/* The same complaint in this language; as it is where no words are known for it. The text may be the arena's. */
struct text complaint_say(struct text complaint, enum language language, struct arena *arena);

#endif
