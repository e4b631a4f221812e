/* Tables. A wide window shows them as they are, a narrow one each row as a block in which each cell has its label. */
#include "console/core/view.h"

/* Columns whose cells have the class "number" in every table. */
static bool has_numbers(enum say column) {
    static const enum say NUMBERS[] = {SAY_AMOUNT,    SAY_IDSERVICE,       SAY_HTTP_STATUS,    SAY_TOOK,
                                       SAY_FINALISED, SAY_CANCELLED_COUNT, SAY_REFUNDED_COUNT, SAY_LAST_HOURS,
                                       SAY_LAST_DAY,  SAY_DAY_LIMIT,       SAY_DAY_USED,       SAY_OUTSTANDING_LIMIT,
                                       SAY_ATTEMPTS,  SAY_OUTSTANDING_USED};
    for (size_t i = 0; i < COUNT_OF(NUMBERS); i++) {
        if (NUMBERS[i] == column) {
            return true;
        }
    }
    return false;
}

/* Those that the reader is shown. */
static const enum say *choose_columns(const struct view *view, const enum say *columns) {
    size_t count = 0, chosen = 0;
    while (columns[count] != SAY_NONE) {
        count++;
    }
    enum say *out = arena_alloc(view->arena, (count + 1) * sizeof *out);
    for (size_t i = 0; i < count; i++) {
        if (columns[i] != SAY_ITS_MERCHANT || view_reader(view).scope.everything) {
            out[chosen++] = columns[i];
        }
    }
    out[chosen] = SAY_NONE;
    return out;
}

/* The group can be scrolled with the keyboard, so it can be reached with it and has a name. */
void put_table(struct view *view, enum say caption, const enum say *columns) {
    markup_fill(view->html,
                "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n<caption>{}</caption>\n"
                "<thead><tr>",
                say(view, caption), say(view, caption));
    view->columns = choose_columns(view, columns);
    for (const enum say *column = view->columns; *column != SAY_NONE; column++) {
        markup_fill(view->html, "<th scope=\"col\" class=\"{}\">{}</th>",
                    has_numbers(*column) ? TEXT("number") : TEXT("words"), say(view, *column));
    }
    markup_add(view->html, "</tr></thead>\n<tbody>\n");
    view->around = view->html;
    view->html = markup_create(view->arena);
}

static bool begins_tag(struct text html, size_t at, const char *tag) {
    struct text name = text_of(tag);
    return at + name.size < html.size && memcmp(html.at + at, name.at, name.size) == 0 &&
           (html.at[at + name.size] == ' ' || html.at[at + name.size] == '>');
}

/* Adds the rows, each <td> with the label of its column. A <th> heads its row and needs none. A value is escaped, so
 * that no tag begins within it. */
static void put_labelled_rows(struct view *view, const struct markup *rows) {
    struct text html = markup_text(rows);
    const enum say *column = view->columns;
    size_t done = 0;
    for (size_t i = 0; i < html.size; i++) {
        bool is_cell = begins_tag(html, i, "<td");
        if (begins_tag(html, i, "<tr")) {
            column = view->columns;
        } else if (is_cell || begins_tag(html, i, "<th")) {
            size_t behind = i + sizeof "<td" - 1;
            if (is_cell) {
                markup_append_between(view->html, rows, done, behind);
                markup_fill(view->html, " data-label=\"{}\"", say(view, *column));
                done = behind;
            }
            column += *column != SAY_NONE;
        }
    }
    markup_append_between(view->html, rows, done, html.size);
}

static void put_no_rows(struct view *view, enum say words) {
    size_t columns = 0;
    while (view->columns[columns] != SAY_NONE) {
        columns++;
    }
    markup_fill(view->html, "<tr><td class=\"none\" colspan=\"{}\">{}</td></tr>\n", view_count(view, columns),
                say(view, words));
}

void put_table_end_or(struct view *view, enum say no_rows) {
    const struct markup *rows = view->html;
    view->html = view->around;
    put_labelled_rows(view, rows);
    if (markup_text(rows).size == 0) {
        put_no_rows(view, no_rows);
    }
    markup_add(view->html, "</tbody>\n</table>\n</div>\n");
}

void put_table_end(struct view *view) {
    put_table_end_or(view, SAY_NO_ENTRIES);
}
