#include "console/compare/complaint.h"

enum { VALUES_MAX = 3 };

/* In the table's words each * stands for a value, which extends to the next space or the end. */
static size_t value_size(struct text text) {
    const char *space = text.size == 0 ? NULL : memchr(text.at, ' ', text.size);
    return space == NULL ? text.size : (size_t)(space - text.at);
}

static struct text without_first(struct text text, size_t size) {
    return (struct text){text.at + size, text.size - size};
}

/* Whether the complaint has these words. Sets the values in them. */
static bool has_words(struct text complaint, struct text words, struct text values[VALUES_MAX]) {
    size_t count = 0;
    while (words.size > 0 && complaint.size > 0) {
        bool is_value = words.at[0] == '*' && count < VALUES_MAX;
        size_t size = is_value ? value_size(complaint) : 1;
        if (is_value) {
            values[count++] = (struct text){complaint.at, size};
        } else if (words.at[0] != complaint.at[0]) {
            return false;
        }
        words = without_first(words, 1);
        complaint = without_first(complaint, size);
    }
    return words.size == 0 && complaint.size == 0;
}

/* Returns the words with the values in place of their stars, in the same order. */
static struct text fill_words(struct text words, const struct text values[VALUES_MAX], struct arena *arena) {
    struct text said = TEXT("");
    const char *star;
    for (size_t i = 0; i < VALUES_MAX && words.size > 0 && (star = memchr(words.at, '*', words.size)) != NULL; i++) {
        struct text before = {words.at, (size_t)(star - words.at)};
        said = arena_print(arena, "%.*s%.*s%.*s", TEXT_ARGS(said), TEXT_ARGS(before), TEXT_ARGS(values[i]));
        words = without_first(words, before.size + 1);
    }
    return arena_print(arena, "%.*s%.*s", TEXT_ARGS(said), TEXT_ARGS(words));
}

struct text complaint_say(struct text complaint, enum language language, struct arena *arena) {
    for (enum say what = SAY_LINE_COLUMNS; what <= SAY_LINE_STATE; what++) {
        struct text values[VALUES_MAX] = {TEXT(""), TEXT(""), TEXT("")};
        if (has_words(complaint, texts_say(what, ENGLISH), values)) {
            return fill_words(texts_say(what, language), values, arena);
        }
    }
    return complaint;
}
