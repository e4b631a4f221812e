#include "page/markup.h"

#include "page/html.h"

enum { FIRST_ROOM = 8192 };

struct markup {
    struct arena *arena;
    char *at;
    size_t size, room;
};

struct markup *markup_create(struct arena *arena) {
    struct markup *markup = arena_alloc(arena, sizeof *markup);
    *markup = (struct markup){.arena = arena, .at = arena_alloc(arena, FIRST_ROOM), .room = FIRST_ROOM};
    return markup;
}

static void append_bytes(struct markup *markup, struct text bytes) {
    if (bytes.size > markup->room - markup->size) {
        markup->room = 2 * markup->room + bytes.size;
        markup->at = arena_enlarge(markup->arena, markup->at, markup->size, markup->room);
    }
    if (bytes.size > 0) {
        memcpy(markup->at + markup->size, bytes.at, bytes.size);
    }
    markup->size += bytes.size;
}

void markup_add(struct markup *markup, const char *html) {
    append_bytes(markup, text_of(html));
}

void markup_append(struct markup *markup, const struct markup *part) {
    append_bytes(markup, markup_text(part));
}

void markup_append_between(struct markup *markup, const struct markup *part, size_t from, size_t to) {
    append_bytes(markup, (struct text){part->at + from, to - from});
}

void markup_fill_all(struct markup *markup, const char *template, const struct text *values, size_t count) {
    size_t used = 0;
    const char *hole;
    while ((hole = strstr(template, "{}")) != NULL && used < count) {
        append_bytes(markup, (struct text){template, (size_t)(hole - template)});
        append_bytes(markup, html_escape(values[used++], markup->arena));
        template = hole + 2;
    }
    if (hole != NULL || used != count) {
        abort();
    }
    markup_add(markup, template);
}

struct text markup_text(const struct markup *markup) {
    return (struct text){markup->at, markup->size};
}
