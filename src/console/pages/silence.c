#include "console/pages/silence.h"

#include "console/pages/parts.h"
#include "store/console/notifications.h"

struct silent_list {
    struct arena *arena;
    struct silent_merchant **last;
};

static void add_silent(void *context, struct text name, instant asked_at) {
    struct silent_list *list = context;
    struct silent_merchant *merchant = arena_alloc(list->arena, sizeof *merchant);
    *merchant = (struct silent_merchant){name, asked_at, NULL};
    *list->last = merchant;
    list->last = &merchant->next;
}

static enum status read_silent(const struct console_reader *reader, struct silent_merchant **out) {
    struct silent_list list = {reader->arena, out};
    *out = NULL;
    return console_queries_silent(reader, add_silent, &list);
}

enum status silence_read(struct view *view, struct silent_merchant **out) {
    struct console_reader reader = view_reader(view);
    return read_silent(&reader, out);
}

enum status silence_read_of(struct view *view, uint64_t merchant_id, struct silent_merchant **out) {
    struct console_reader reader = view_reader(view);
    if (reader.scope.everything) {
        reader.scope = (struct console_scope){.merchant_id = merchant_id};
    }
    return read_silent(&reader, out);
}

void silence_put_note(struct view *view, const struct silent_merchant *merchant) {
    if (merchant != NULL) {
        markup_fill(view->html, "<p class=\"note waiting\"><strong>{}</strong> ", say(view, SAY_NOW_QUERIES_FAIL));
        put_moment(view, merchant->asked_at);
        markup_add(view->html, "</p>\n");
    }
}

void silence_put_table(struct view *view, const struct silent_merchant *merchants) {
    static const enum say COLUMNS[] = {SAY_MERCHANT, SAY_LAST_SILENT, SAY_NONE};
    if (merchants == NULL) {
        return;
    }
    put_table(view, SAY_SILENT_ENDPOINTS, COLUMNS);
    for (; merchants != NULL; merchants = merchants->next) {
        markup_fill(view->html, "<tr><td><bdi>{}</bdi></td>", merchants->name);
        part_moment_cell(view, merchants->asked_at);
        markup_add(view->html, "</tr>\n");
    }
    put_table_end(view);
}
