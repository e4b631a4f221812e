/*
 * The console's words in Spanish and English: one table, in parts. A page's words are in the part of its folder
 * (texts_frame.h, texts_read.h, texts_now.h, texts_change.h, texts_compare.h) as X(NAME, "español",
 * "English").
 */
#ifndef RECAUDO_CONSOLE_CORE_TEXTS_H
#define RECAUDO_CONSOLE_CORE_TEXTS_H

#include "console/core/texts_change.h"
#include "console/core/texts_compare.h"
#include "console/core/texts_frame.h"
#include "console/core/texts_now.h"
#include "console/core/texts_read.h"
#include "page/wording.h"

#define CONSOLE_TEXTS(X) FRAME_TEXTS(X) READ_TEXTS(X) FAULT_TEXTS(X) NOW_TEXTS(X) CHANGE_TEXTS(X) COMPARE_TEXTS(X)

enum say {
#define X(name, spanish, english) SAY_##name,
    CONSOLE_TEXTS(X)
#undef X
        SAY_COUNT
};

struct text texts_say(enum say what, enum language language);

#endif
