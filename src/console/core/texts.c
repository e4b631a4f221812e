#include "console/core/texts.h"

static const struct text TEXTS[SAY_COUNT][LANGUAGE_COUNT] = {
#define X(name, spanish, english) [SAY_##name] = {[SPANISH] = TEXT(spanish), [ENGLISH] = TEXT(english)},
    CONSOLE_TEXTS(X)
#undef X
};

struct text texts_say(enum say what, enum language language) {
    return TEXTS[what][language];
}
