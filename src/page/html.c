#include "page/html.h"

#include "base/utf8.h"

enum { GROWTH_MAX = 6 }; /* &quot; */

/* Returns the entity for a character that has a meaning in HTML, or NULL. */
static const char *entity_of(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Marks, embeddings, overrides and isolates of Unicode's bidirectional algorithm, in UTF-8. */
static const char *const DIRECTIONS[] = {
    "\u061C", "\u200E", "\u200F", "\u202A", "\u202B", "\u202C",
    "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069",
};

static bool turns_direction(struct text character) {
    return text_place_in(character, DIRECTIONS, COUNT_OF(DIRECTIONS)) < COUNT_OF(DIRECTIONS);
}

static struct text escape(struct text character) {
    const char *entity = entity_of(character.at[0]);
    if (entity != NULL) {
        return text_of(entity);
    }
    if (text_has_control(character)) {
        return TEXT(" ");
    }
    return turns_direction(character) ? TEXT("") : character;
}

struct text html_escape(struct text utf8, struct arena *arena) {
    char *to = arena_alloc(arena, utf8.size * GROWTH_MAX + 1);
    size_t used = 0;
    for (size_t at = 0, length; at < utf8.size; at += length) {
        length = utf8_character((const unsigned char *)utf8.at + at, utf8.size - at);
        length = length > 0 ? length : 1;
        struct text escaped = escape((struct text){utf8.at + at, length});
        memcpy(to + used, escaped.at, escaped.size);
        used += escaped.size;
    }
    return (struct text){to, used};
}
