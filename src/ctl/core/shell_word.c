#include "ctl/core/shell_word.h"

static bool is_plain(struct text word) {
    static const char PLAIN[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t i = 0;
    while (i < word.size && memchr(PLAIN, word.at[i], sizeof PLAIN - 1) != NULL) {
        i++;
    }
    return word.size > 0 && i == word.size;
}

/* A quote in the word ends the quoted string, follows escaped, and starts a new quoted string. */
const char *shell_word(struct arena *arena, struct text word) {
    static const char QUOTE[] = "'\\''";
    if (is_plain(word)) {
        return arena_copy(arena, word).at;
    }
    char *quoted = arena_alloc(arena, word.size * (sizeof QUOTE - 1) + sizeof "''"), *end = quoted;
    *end++ = '\'';
    for (size_t i = 0; i < word.size; i++) {
        bool is_quote = word.at[i] == '\'';
        size_t size = is_quote ? sizeof QUOTE - 1 : 1;
        memcpy(end, is_quote ? QUOTE : &word.at[i], size);
        end += size;
    }
    *end++ = '\'';
    *end = '\0';
    return quoted;
}
