#include "ctl/common/reply_text.h"

#include "base/utf8.h"

enum { LINE_CHARACTERS = 50, CHARACTER_BYTES = 4 };

static const char MORE[] = "...";

/* U+0080 to U+009F are control characters too. */
static bool is_control_character(const unsigned char *at, size_t length) {
    return length == 1 ? at[0] < 0x20 || at[0] == 0x7F : length == 2 && at[0] == 0xC2 && at[1] < 0xA0;
}

struct text reply_line(struct arena *arena, struct text bytes) {
    size_t looked_at = bytes.size < LINE_CHARACTERS * CHARACTER_BYTES ? bytes.size : LINE_CHARACTERS * CHARACTER_BYTES;
    struct text text = utf8_repair((struct text){bytes.at, looked_at}, arena);
    char *line = arena_alloc(arena, text.size + sizeof MORE);
    size_t used = 0, at = 0;
    for (size_t characters = 0; at < text.size && characters < LINE_CHARACTERS; characters++) {
        const unsigned char *from = (const unsigned char *)text.at + at;
        size_t length = utf8_character(from, text.size - at);
        bool control = is_control_character(from, length);
        memcpy(line + used, control ? " " : (const char *)from, control ? 1 : length);
        used += control ? 1 : length;
        at += length;
    }
    if (at < text.size || looked_at < bytes.size) {
        memcpy(line + used, MORE, sizeof MORE - 1);
        used += sizeof MORE - 1;
    }
    return (struct text){line, used};
}
