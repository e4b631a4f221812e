#include "console/pages/query_parts.h"

#include "console/core/refusals.h"
#include "console/pages/parts.h"
#include "wire/reply_code.h"

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
            markup_fill(view->html, "{}{}", (struct text){template.at + from, i - from}, matched->parts[count]);
            count++;
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

static bool is_answered(const struct query_record *record) {
    return text_equal(record->outcome, TEXT("answered"));
}

/* Adds what was wrong with an answer that is invalid or did not come. */
static void put_fault(struct view *view, const struct query_record *record) {
    if (text_equal(record->outcome, TEXT("silent")) || text_equal(record->problem, TEXT("failed"))) {
        markup_fill(view->html, "{}", part_reason(view, record->field));
    } else {
        markup_fill(view->html, "<bdi>{}</bdi> ", field_words(view, record->field));
        put_problem(view, record->problem);
    }
}

/* Another merchant's order is no business of a merchant's user. */
static void put_query_order(struct view *view, const struct query_row *query) {
    uint64_t id = query->record.order_id;
    put_words(view, query->is_anothers ? SAY_QUERY_ANOTHERS : SAY_QUERY_ORDER);
    if (!query->is_anothers || view_reader(view).scope.everything) {
        markup_add(view->html, " ");
        part_order_link(view, id, query->po_id.size > 0 ? query->po_id : part_number(view, id));
    }
}

static void put_answered(struct view *view, const struct query_row *query) {
    struct text code = query->record.problem;
    if (query->record.order_id != 0) {
        put_query_order(view, query);
    }
    if (code.size > 0) {
        enum refusal refusal = reply_code_meaning(arena_print(view->arena, "%.*s", TEXT_ARGS(code)).at);
        markup_fill(view->html, "{} {} {} ({})", query->record.order_id != 0 ? TEXT(";") : TEXT(""),
                    say(view, SAY_QUERY_GOT), code, refusal_words(refusal, view->language));
    }
}

void query_put_outcome(struct view *view, const struct query_record *record) {
    if (is_answered(record) && record->problem.size > 0) {
        put_state(view, TONE_WAITING, say(view, SAY_ANSWERED));
    } else {
        part_state(view, PART_QUERY_OUTCOMES, record->outcome);
    }
}

void query_put_detail(struct view *view, const struct query_row *query) {
    const struct query_record *record = &query->record;
    if (is_answered(record)) {
        put_answered(view, query);
    } else if (text_equal(record->outcome, TEXT("refused"))) {
        markup_fill(view->html, "<bdi>{} {}</bdi>", record->problem, record->said);
    } else if (record->field.size > 0) {
        put_fault(view, record);
    }
}

struct failed_list {
    struct arena *arena;
    struct failed_integration **last;
};

static void add_failed(void *context, const struct failed_query *query) {
    struct failed_list *list = context;
    struct failed_integration *failed = arena_alloc(list->arena, sizeof *failed);
    *failed = (struct failed_integration){*query, text_equal(query->row.record.outcome, TEXT("silent")), NULL};
    *list->last = failed;
    list->last = &failed->next;
}

static enum status read_failed(const struct console_reader *reader, struct failed_integrations *out) {
    struct failed_list list = {reader->arena, &out->first};
    out->first = NULL;
    return console_queries_failed(reader, false, add_failed, &list, &out->left_out);
}

enum status query_read_failed(struct view *view, struct failed_integrations *out) {
    struct console_reader reader = view_reader(view);
    return read_failed(&reader, out);
}

enum status query_read_failed_of(struct view *view, uint64_t merchant_id, struct failed_integrations *out) {
    struct console_reader reader = view_reader(view);
    if (reader.scope.everything) {
        reader.scope = (struct console_scope){.merchant_id = merchant_id};
    }
    return read_failed(&reader, out);
}

bool query_any_failed(const struct failed_integrations *failed, bool silent) {
    const struct failed_integration *one = failed->first;
    while (one != NULL && one->silent != silent) {
        one = one->next;
    }
    return one != NULL;
}

/* What the integration's references begin with and, of an agreement, for which network. */
static void put_code(struct view *view, const struct failed_query *query) {
    markup_fill(view->html, "{}…", query->code);
    if (query->is_agreement) {
        markup_fill(view->html, " (<bdi>{}</bdi>)", query->row.network);
    }
}

static void put_failed_note(struct view *view, const struct failed_integration *failed) {
    const struct query_record *record = &failed->query.row.record;
    markup_fill(view->html, "<p class=\"note waiting\"><strong>{} ", say(view, SAY_NOW_QUERIES_OF));
    put_code(view, &failed->query);
    markup_fill(view->html, ": {} ", say(view, failed->silent ? SAY_NOW_QUERIES_FAIL : SAY_NOW_QUERIES_INVALID));
    put_fault(view, record);
    markup_fill(view->html, "; {}</strong> ", say(view, failed->silent ? SAY_NOW_QUERIES_0108 : SAY_NOW_QUERIES_0109));
    put_moment(view, record->asked_at);
    markup_fill(view->html, " · {} {}</p>\n", say(view, SAY_REFERENCE), record->reference);
}

void query_put_failed_notes(struct view *view, const struct failed_integrations *failed) {
    for (const struct failed_integration *one = failed->first; one != NULL; one = one->next) {
        put_failed_note(view, one);
    }
    if (failed->left_out > 0) {
        markup_fill(view->html, "<p class=\"note waiting\"><strong>{}: {}</strong></p>\n",
                    say(view, SAY_MORE_INTEGRATIONS_FAIL), view_count(view, failed->left_out));
    }
}

static void put_failed_row(struct view *view, const struct failed_integration *failed) {
    const struct query_row *row = &failed->query.row;
    markup_fill(view->html, "<tr><th scope=\"row\"><a href=\"/merchants/{}\"><bdi>{}</bdi></a></th><td>",
                part_number(view, row->record.merchant_id), row->merchant);
    put_code(view, &failed->query);
    markup_add(view->html, "</td>");
    part_moment_cell(view, row->record.asked_at);
    markup_add(view->html, "<td>");
    part_state(view, PART_QUERY_OUTCOMES, row->record.outcome);
    markup_add(view->html, "</td><td>");
    put_fault(view, &row->record);
    markup_add(view->html, "</td></tr>\n");
}

void query_put_failed_table(struct view *view, const struct failed_integrations *failed) {
    static const enum say COLUMNS[] = {SAY_MERCHANT, SAY_CODE, SAY_ASKED_AT, SAY_OUTCOME, SAY_DETAIL, SAY_NONE};
    if (failed->first == NULL) {
        return;
    }
    put_table(view, SAY_FAILED_QUERIES, COLUMNS);
    for (const struct failed_integration *one = failed->first; one != NULL; one = one->next) {
        put_failed_row(view, one);
    }
    if (failed->left_out > 0) {
        markup_fill(view->html, "<tr><th scope=\"row\" colspan=\"5\">{}: {}</th></tr>\n",
                    say(view, SAY_MORE_INTEGRATIONS_FAIL), view_count(view, failed->left_out));
    }
    put_table_end(view);
}
