#include "console/pages/query_parts.h"

#include "console/pages/parts.h"
#include "store/console/notifications.h"

/* The parts of a stored text that a template has as #, and where the rest begins. */
struct matched {
    struct text parts[2];
    size_t end;
};

enum { FAULTS_FIRST = SAY_FAULT_STATUS, FAULTS_LAST = SAY_FAULT_OWNER };

static bool ends_part(char c) {
    return c == ' ' || c == ',' || c == ':';
}

static bool match_template(struct text stored, struct text template, struct matched *out) {
    size_t at = 0, count = 0;
    for (size_t i = 0; i < template.size; i++) {
        if (template.at[i] == '#') {
            size_t from = at;
            while (at < stored.size && !ends_part(stored.at[at])) {
                at++;
            }
            out->parts[count++] = (struct text){stored.at + from, at - from};
        } else if (at == stored.size || stored.at[at++] != template.at[i]) {
            return false;
        }
    }
    out->end = at;
    return true;
}

static void put_filled(struct view *view, struct text template, const struct matched *matched) {
    size_t from = 0, count = 0;
    for (size_t i = 0; i < template.size; i++) {
        if (template.at[i] == '#') {
            markup_fill(view->html, "{}{}", (struct text){template.at + from, i - from}, matched->parts[count++]);
            from = i + 1;
        }
    }
    markup_fill(view->html, "{}", (struct text){template.at + from, template.size - from});
}

/* Adds " (byte 7)" if the stored words go on with " at byte 7". */
static void put_byte(struct view *view, struct text rest) {
    struct matched byte;
    if (match_template(rest, TEXT(" at byte #"), &byte)) {
        markup_fill(view->html, " (byte {})", byte.parts[0]);
    }
}

static void put_problem(struct view *view, struct text problem) {
    struct matched matched;
    for (unsigned what = FAULTS_FIRST; what <= FAULTS_LAST && view->language != ENGLISH; what++) {
        if (match_template(problem, texts_say(what, ENGLISH), &matched)) {
            put_filled(view, say(view, what), &matched);
            put_byte(view, (struct text){problem.at + matched.end, problem.size - matched.end});
            return;
        }
    }
    markup_fill(view->html, "{}", problem); /* as it is stored */
}

static struct text field_words(const struct view *view, struct text field) {
    static const enum say FIELDS[] = {SAY_FAULT_OF_BODY, SAY_FAULT_OF_STATUS};
    for (size_t i = 0; i < COUNT_OF(FIELDS); i++) {
        if (text_equal(field, texts_say(FIELDS[i], ENGLISH))) {
            return say(view, FIELDS[i]);
        }
    }
    return field;
}

void query_put_fault(struct view *view, const struct query_record *record) {
    if (text_equal(record->outcome, TEXT("silent")) || text_equal(record->problem, TEXT("failed"))) {
        markup_fill(view->html, "{}", part_reason(view, record->field));
    } else {
        markup_fill(view->html, "<bdi>{}</bdi> ", field_words(view, record->field));
        put_problem(view, record->problem);
    }
}

void query_put_detail(struct view *view, const struct query_row *query) {
    const struct query_record *record = &query->record;
    if (text_equal(record->outcome, TEXT("refused"))) {
        markup_fill(view->html, "<bdi>{} {}</bdi>", record->problem, record->said);
    } else if (record->field.size > 0) {
        query_put_fault(view, record);
    }
}

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
