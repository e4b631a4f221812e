#include "base/utf8.h"

/* For ranges of the first byte: the length of the character, and the valid range of its second byte. */
static const struct {
    unsigned char first_from, first_to, second_from, second_to;
    size_t length;
} FORMS[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
    {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

size_t utf8_character(const unsigned char *at, size_t size) {
    if (size > 0 && at[0] < 0x80) {
        return 1;
    }
    for (size_t form = 0; size > 1 && form < COUNT_OF(FORMS); form++) {
        if (at[0] < FORMS[form].first_from || at[0] > FORMS[form].first_to) {
            continue;
        }
        bool valid = size >= FORMS[form].length && at[1] >= FORMS[form].second_from && at[1] <= FORMS[form].second_to;
        for (size_t i = 2; valid && i < FORMS[form].length; i++) {
            valid = (at[i] & 0xC0U) == 0x80U;
        }
        return valid ? FORMS[form].length : 0;
    }
    return 0;
}

bool utf8_is_valid(struct text text) {
    size_t at = 0;
    while (at < text.size) {
        size_t length = utf8_character((const unsigned char *)text.at + at, text.size - at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

static const char REPLACEMENT[] = "\xEF\xBF\xBD";

struct text utf8_repair(struct text bytes, struct arena *arena) {
    char *text = arena_alloc(arena, bytes.size * (sizeof REPLACEMENT - 1) + 1);
    size_t used = 0;
    for (size_t at = 0; at < bytes.size;) {
        const char *from = bytes.at + at;
        size_t length = utf8_character((const unsigned char *)from, bytes.size - at);
        size_t size = length > 0 ? length : sizeof REPLACEMENT - 1;
        memcpy(text + used, length > 0 ? from : REPLACEMENT, size);
        used += size;
        at += length > 0 ? length : 1;
    }
    return (struct text){text, used};
}
