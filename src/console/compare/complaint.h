/* Translates complaints about a network's list; the functions that read it complain in English. */
#ifndef RECAUDO_CONSOLE_COMPARE_COMPLAINT_H
#define RECAUDO_CONSOLE_COMPARE_COMPLAINT_H

#include "base/arena.h"
#include "console/core/texts.h"

/* Returns the complaint in this language, or as it is if the table does not have it. The text may be in the arena. */
struct text complaint_say(struct text complaint, enum language language, struct arena *arena);

#endif
