#include "console/compare/compare.h"

#include "console/compare/complaint.h"
#include "console/core/outlet.h"
#include "console/pages/file.h"
#include "console/pages/parts.h"
#include "settlement/comparing.h"
#include "settlement/comparison_csv.h"
#include "store/console/operations.h"
#include "store/console/parties.h"

#include <inttypes.h>

/* Larger lists need recaudoctl: a page must be complete before the web server's time-out, and all users share the
 * memory. */
enum { LINES_MAX = 20000, DIFFERENCES_MAX = 100000, SHOWN_MAX = 1000 };
#define COMPARING_MAX (20 * SECOND)

struct compare_page {
    struct view *view;
    struct console_reader reader;
    struct network_description network;
    struct network_file file;
    struct comparing comparing;
    struct text day, first, last; /* day: from the form, or empty */
    struct settlement_span span;
    instant until; /* by the monotonic clock */
    bool is_open, is_done;
};

static struct text say_complaint(const struct view *view, struct text complaint) {
    return complaint_say(complaint, view->language, view->arena);
}

struct network_choice {
    struct view *view;
    struct text chosen;
};

static void add_compared_network(void *context, uint64_t id, struct text name) {
    const struct network_choice *choice = context;
    part_option(choice->view, part_number(choice->view, id), name, choice->chosen);
}

static enum status put_compare_form(const struct compare_page *page) {
    struct view *view = page->view;
    markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, SAY_COMPARE_ADVICE));
    markup_fill(view->html,
                "<form class=\"fields\" method=\"post\" action=\"{}\" enctype=\"multipart/form-data\">\n"
                "<label>{} <select name=\"network\">",
                view->request->path, say(view, SAY_NETWORK));
    struct network_choice choice = {view, request_form(view->request, "network", view->arena)};
    enum status status = console_networks_names(&page->reader, add_compared_network, &choice);
    markup_fill(view->html,
                "</select></label>\n<label>{} <input type=\"date\" name=\"day\" value=\"{}\"></label>\n"
                "<label>{} <input type=\"file\" name=\"list\" required accept=\".csv,text/csv,text/plain\"></label>\n",
                say(view, SAY_COMPARE_DAY), page->day, say(view, SAY_COMPARE_LIST));
    put_token(view, view->request->path);
    markup_fill(view->html,
                "<p class=\"actions\"><button class=\"main\">{}</button>\n"
                "<button name=\"format\" value=\"csv\">CSV</button></p>\n</form>\n",
                say(view, SAY_COMPARE_BUTTON));
    return status;
}

/* Shows the form again, with the complaint. */
static enum status complain_of_list(const struct compare_page *page, struct text complaint) {
    struct view *view = page->view;
    view->status = 400;
    markup_fill(view->html, "<p class=\"note bad\" role=\"alert\">{}</p>\n", complaint);
    return put_compare_form(page);
}

static size_t count_line_ends(struct text bytes) {
    size_t count = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        count += bytes.at[i] == '\n';
    }
    return count;
}

/* Reads the list. Returns a complaint, empty if the list was read. */
static struct text read_sent_list(struct compare_page *page) {
    struct view *view = page->view;
    struct text bytes = request_file(view->request, "list");
    if (bytes.size == 0) {
        return say(view, SAY_COMPARE_NO_FILE);
    }
    if (count_line_ends(bytes) > LINES_MAX) {
        return say(view, SAY_COMPARE_MANY_LINES);
    }
    FILE *from = fmemopen((char *)bytes.at, bytes.size, "r"); /* fmemopen only reads from it */
    if (from == NULL || !network_file_read(from, view->zone, view->arena, &page->file)) {
        abort(); /* both fail only for lack of memory */
    }
    fclose(from);
    const char *complaint = network_file_complaint(&page->file);
    return complaint == NULL ? TEXT("") : say_complaint(view, text_of(complaint));
}

/* Takes the day from the form, or the days from the list. Returns a complaint; empty: the days are valid. */
static struct text take_compared_days(struct compare_page *page) {
    struct view *view = page->view;
    instant unused;
    page->first = page->last = page->day;
    if (page->day.size == 0) {
        network_file_days(&page->file, &page->first, &page->last);
    }
    if (page->first.at == NULL) {
        return say(view, SAY_COMPARE_NO_DAY);
    }
    bool are_days =
        part_day(view, page->first, &page->span.from, &unused) && part_day(view, page->last, &unused, &page->span.to);
    return are_days ? TEXT("") : say(view, SAY_WRONG_DAY);
}

static void take_operation(void *context, const struct operation *operation) {
    comparing_take(context, operation);
}

static bool may_go_on(const struct compare_page *page) {
    return clock_monotonic() < page->until && outlet_is_wanted(page->view->outlet) &&
           comparison_end(page->comparing.comparison)->count <= DIFFERENCES_MAX;
}

static enum status take_operations(struct compare_page *page) {
    struct console_operation_place place = {.ended = page->span.from >= page->span.to};
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !place.ended && may_go_on(page)) {
        status = console_operations_next(&page->reader, &page->span, &place, take_operation, &page->comparing);
        arena_reset(page->reader.arena);
    }
    page->is_done = place.ended;
    return status;
}

/* Looks up payments that are missing from the compared days. They may have become final on another day, or not at
 * all. */
static enum status look_up_lines(struct compare_page *page) {
    enum status status = STATUS_OK;
    const struct network_line *line = NULL;
    struct transaction_now found;
    while (status == STATUS_OK && (page->is_done = may_go_on(page)) &&
           (line = comparison_next(page->comparing.comparison)) != NULL) {
        arena_reset(page->reader.arena);
        status = transactions_now_find(page->reader.connection, page->network.name, line->transaction,
                                       page->reader.arena, &found);
        if (status == STATUS_OK) {
            comparing_answer(&page->comparing, line, &found);
        } else if (status == STATUS_NONE) {
            comparison_answer_unknown(page->comparing.comparison, line);
            status = STATUS_OK;
        }
    }
    return status;
}

static enum status compare_with_ours(struct compare_page *page) {
    instant now;
    enum status status = settlements_now(page->reader.connection, &now);
    if (status == STATUS_OK) {
        page->is_open = now < page->span.to;
        page->span.to = page->is_open ? now : page->span.to;
        status = take_operations(page);
    }
    return status == STATUS_OK && page->is_done ? look_up_lines(page) : status;
}

static struct text say_field(const struct view *view, const char *field) {
    static const struct {
        const char *field;
        enum say words;
    } FIELDS[] = {{"state", SAY_STATE},
                  {"amount", SAY_AMOUNT},
                  {"currency", SAY_CURRENCY},
                  {"day", SAY_DATE},
                  {"line", SAY_COMPARE_LINE}};
    for (size_t i = 0; i < COUNT_OF(FIELDS); i++) {
        if (strcmp(field, FIELDS[i].field) == 0) {
            return say(view, FIELDS[i].words);
        }
    }
    return text_of(field);
}

static void put_difference(struct view *view, const struct difference *one) {
    static const struct {
        enum say words;
        enum tone tone;
    } KINDS[] = {[MISSING_HERE] = {SAY_MISSING_HERE, TONE_BAD},
                 [MISSING_THERE] = {SAY_MISSING_THERE, TONE_BAD},
                 [DIFFERS] = {SAY_DIFFERS, TONE_BAD},
                 [REFUSED_LINE] = {SAY_REFUSED_LINE, TONE_WAITING}};
    markup_add(view->html, "<tr><th scope=\"row\">");
    put_state(view, KINDS[one->kind].tone, say(view, KINDS[one->kind].words));
    markup_fill(view->html, "</th><td class=\"number\">{}</td>",
                one->line == 0 ? TEXT("–") : part_number(view, one->line));
    if (one->idservice != 0) {
        markup_fill(view->html, "<td><a href=\"/transactions/{}\"><bdi>{}</bdi></a></td>",
                    part_number(view, one->idservice), one->transaction);
    } else {
        part_text_cell(view, one->transaction);
    }
    part_text_cell(view, say_field(view, one->field));
    part_text_cell(view, one->here);
    part_text_cell(view, one->kind == REFUSED_LINE ? say_complaint(view, one->there) : one->there);
    part_text_cell(view, one->currency);
    markup_add(view->html, "</tr>\n");
}

static void put_differences(const struct compare_page *page) {
    static const enum say COLUMNS[] = {SAY_COMPARE_DIFFERENCES, SAY_COMPARE_LINE,  SAY_TRANSACTION, SAY_COMPARE_FIELD,
                                       SAY_COMPARE_HERE,        SAY_COMPARE_THERE, SAY_CURRENCY,    SAY_NONE};
    struct view *view = page->view;
    const struct difference *one = comparison_end(page->comparing.comparison)->first;
    put_table(view, SAY_COMPARE_DIFFERENCES, COLUMNS);
    for (size_t shown = 0; one != NULL && shown < SHOWN_MAX; one = one->next, shown++) {
        put_difference(view, one);
    }
    put_table_end(view);
    if (one != NULL) {
        markup_fill(view->html, "<p class=\"note\">{}</p>\n", say(view, SAY_COMPARE_FIRST));
    }
}

static void put_comparison(const struct compare_page *page) {
    struct view *view = page->view;
    const struct differences *found = comparison_end(page->comparing.comparison);
    if (page->is_open) {
        markup_fill(view->html, "<p class=\"note waiting\">{}</p>\n", say(view, SAY_COMPARE_OPEN));
    }
    markup_add(view->html, "<section>\n<dl class=\"facts\">\n");
    put_fact(view, SAY_NETWORK, page->network.name);
    put_fact(view, SAY_COMPARE_DAYS,
             text_equal(page->first, page->last)
                 ? page->first
                 : arena_print(view->arena, "%.*s – %.*s", TEXT_ARGS(page->first), TEXT_ARGS(page->last)));
    put_fact(view, SAY_COMPARE_LINES, view_count(view, page->file.count));
    put_fact(view, SAY_COMPARE_AGREEING, view_count(view, found->agreeing));
    put_fact(view, SAY_COMPARE_DIFFERENCES, view_count(view, found->count));
    markup_add(view->html, "</dl></section>\n");
    if (found->count == 0) {
        markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, SAY_COMPARE_SAME));
    } else {
        put_differences(page);
    }
}

static void send_difference(void *context, struct text line) {
    (void)outlet_send(context, line); /* a client that has gone needs no file */
}

static enum status show_compared(const struct compare_page *page) {
    struct view *view = page->view;
    if (!page->is_done) {
        return complain_of_list(page, say(view, SAY_COMPARE_TOO_LONG));
    }
    if (text_equal(request_form(view->request, "format", view->arena), TEXT("csv"))) {
        outlet_begin_csv(view->outlet, "comparison.csv");
        comparison_write_csv(comparison_end(page->comparing.comparison), send_difference, view->outlet);
        return STATUS_OK;
    }
    put_comparison(page);
    return put_compare_form(page);
}

/* Uses a connection of its own: comparing may take longer than a page may keep a connection of the pool. */
static enum status compare_on_page(struct compare_page *page) {
    struct console_reader before = page->reader;
    enum status status = file_open(page->view, &page->reader.connection);
    if (status != STATUS_OK) {
        return status;
    }
    page->until = clock_monotonic() + COMPARING_MAX;
    page->span.network_id = page->network.id;
    page->reader.arena = arena_create();
    page->comparing = (struct comparing){comparison_create(page->view->arena, &page->file, page->day), page->view->zone,
                                         page->reader.arena};
    status = compare_with_ours(page);
    arena_destroy(page->reader.arena);
    file_close(page->view, page->reader.connection);
    page->reader = before;
    status = status == STATUS_OK ? show_compared(page) : status;
    comparison_free(page->comparing.comparison);
    return status;
}

static enum status compare_list(struct compare_page *page) {
    struct view *view = page->view;
    uint64_t id;
    bool is_named = text_to_number(request_form(view->request, "network", view->arena), &id);
    enum status status = is_named ? console_networks_find(&page->reader, id, &page->network) : STATUS_NONE;
    if (status != STATUS_OK) {
        return status == STATUS_NONE ? complain_of_list(page, say(view, SAY_COMPARE_NO_NETWORK)) : status;
    }
    struct text complaint = read_sent_list(page);
    if (complaint.size == 0) {
        complaint = take_compared_days(page);
    }
    status = complaint.size == 0 ? compare_on_page(page) : complain_of_list(page, complaint);
    network_file_free(&page->file);
    return status;
}

enum status page_compare(struct view *view) {
    struct compare_page *page = arena_alloc(view->arena, sizeof *page);
    *page = (struct compare_page){.view = view, .reader = view_reader(view)};
    bool is_sent = text_equal(view->request->method, TEXT("POST"));
    view->title = say(view, SAY_COMPARE);
    page->day =
        is_sent ? request_form(view->request, "day", view->arena) : request_query(view->request, "day", view->arena);
    return is_sent ? compare_list(page) : put_compare_form(page);
}
