/* HTML that is written piece by piece. Only markup_fill adds text, which it escapes. */
#ifndef RECAUDO_PAGE_MARKUP_H
#define RECAUDO_PAGE_MARKUP_H

#include "base/arena.h"

struct markup;

/* Returns empty markup in the arena. */
struct markup *markup_create(struct arena *arena);

/* Adds HTML unchanged. Pass only literals of the program. */
void markup_add(struct markup *markup, const char *html);

/* Adds all of `part`. */
void markup_append(struct markup *markup, const struct markup *part);

/* Adds the bytes of `part` from `from` until before `to`, at most its size. */
void markup_append_between(struct markup *markup, const struct markup *part, size_t from, size_t to);

/*
 * Adds a template in which each {} is replaced by the next value, escaped (page/html.h):
 *
 *     markup_fill(markup, "<a href=\"/orders/{}\">{}</a>", number, name);
 *
 * The values are struct text, one for each {}; the program aborts if their number differs.
 */
#define markup_fill(markup, template, ...)                                                                             \
    markup_fill_all(markup, template, (const struct text[]){__VA_ARGS__},                                              \
                    sizeof((const struct text[]){__VA_ARGS__}) / sizeof(struct text))

void markup_fill_all(struct markup *markup, const char *template, const struct text *values, size_t count);

/* Returns what was written so far; valid until more is added. */
struct text markup_text(const struct markup *markup);

#endif
