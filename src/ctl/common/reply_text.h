/* What a merchant replied, made fit to be shown: it may be any bytes (utf8_repair). */
#ifndef RECAUDO_CTL_COMMON_REPLY_TEXT_H
#define RECAUDO_CTL_COMMON_REPLY_TEXT_H

#include "base/arena.h"

/* Its beginning on one line: control characters become blanks, and "..." stands for what is left out. */
struct text reply_line(struct arena *arena, struct text bytes);

#endif
