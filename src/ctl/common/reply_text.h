/* A merchant's reply, which may be any bytes, made printable (utf8_repair). */
#ifndef RECAUDO_CTL_COMMON_REPLY_TEXT_H
#define RECAUDO_CTL_COMMON_REPLY_TEXT_H

#include "base/arena.h"

/* Returns the beginning of the reply on one line. Control characters become blanks; "..." marks a cut. */
struct text reply_line(struct arena *arena, struct text bytes);

#endif
