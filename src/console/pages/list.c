#include "console/pages/list.h"

#include "console/core/outlet.h"
#include "console/pages/file.h"
#include "store/console/parties.h"
#include "store/party/currencies.h"

/* The filters as they stand in the address. */
struct given {
    struct text state, currency, network, from, to;
    uint64_t merchant_id;
    bool is_csv, has_wrong_day;
};

static struct given read_given(const struct view *view) {
    const struct console_request *request = view->request;
    return (struct given){.state = request_query(request, "state", view->arena),
                          .currency = request_query(request, "currency", view->arena),
                          .network = request_query(request, "network", view->arena),
                          .from = request_query(request, "from", view->arena),
                          .to = request_query(request, "to", view->arena),
                          .merchant_id = request_query_id(request, "merchant", view->arena),
                          .is_csv = text_equal(request_query(request, "format", view->arena), TEXT("csv"))};
}

static struct console_filter filter_of(const struct view *view, struct given *given) {
    struct console_filter filter = {.state = given->state,
                                    .currency = given->currency,
                                    .network = given->network,
                                    .merchant_id = given->merchant_id};
    instant other;
    bool from = given->from.size == 0 || part_day(view, given->from, &filter.since, &other);
    bool to = given->to.size == 0 || part_day(view, given->to, &other, &filter.until);
    given->has_wrong_day = !from || !to;
    return filter;
}

static void put_states(struct view *view, const struct part_state *states, struct text chosen) {
    markup_fill(view->html, "<label>{} <select name=\"state\">", say(view, SAY_STATE));
    part_option(view, TEXT(""), say(view, SAY_ANY), chosen);
    for (; states->state[0] != '\0'; states++) {
        part_option(view, text_of(states->state), say(view, states->word), chosen);
    }
    markup_fill(view->html, "</select></label>\n<label>{} <select name=\"currency\">", say(view, SAY_CURRENCY));
}

struct options {
    struct view *view;
    struct text chosen;
};

static void add_currency_option(void *context, const struct currency_row *currency) {
    const struct options *options = context;
    part_option(options->view, currency->code, currency->code, options->chosen);
}

static enum status put_currencies(struct view *view, struct text chosen) {
    struct options options = {view, chosen};
    part_option(view, TEXT(""), say(view, SAY_ANY), chosen);
    enum status status = currencies_list(view->connection, view->arena, add_currency_option, &options);
    markup_add(view->html, "</select></label>\n");
    return status;
}

static void add_network_option(void *context, uint64_t id, struct text name) {
    const struct options *options = context;
    (void)id;
    part_option(options->view, name, name, options->chosen);
}

static enum status put_networks(struct view *view, struct text chosen) {
    struct console_reader reader = view_reader(view);
    struct options options = {view, chosen};
    if (!reader.scope.everything) {
        return STATUS_OK;
    }
    markup_fill(view->html, "<label>{} <select name=\"network\">", say(view, SAY_NETWORK));
    part_option(view, TEXT(""), say(view, SAY_ANY), chosen);
    enum status status = console_networks_names(&reader, add_network_option, &options);
    markup_add(view->html, "</select></label>\n");
    return status;
}

static enum status put_list_filters(struct view *view, const struct list_kind *kind, const struct given *given) {
    markup_fill(view->html, "<form class=\"filters\" method=\"get\" action=\"{}\">\n", text_of(kind->path));
    put_states(view, kind->states, given->state);
    enum status status = put_currencies(view, given->currency);
    if (status == STATUS_OK && kind->has_networks) {
        status = put_networks(view, given->network);
    }
    if (status == STATUS_OK) {
        status = part_merchants(view, given->merchant_id);
    }
    markup_fill(view->html,
                "<label>{} <input type=\"date\" name=\"from\" value=\"{}\"></label>\n"
                "<label>{} <input type=\"date\" name=\"to\" value=\"{}\"></label>\n"
                "<button class=\"main\">{}</button>\n<button name=\"format\" value=\"csv\">CSV</button>\n</form>\n",
                say(view, kind->from), given->from, say(view, kind->to), given->to, say(view, SAY_FILTER));
    return status;
}

static void put_kept(struct view *view, const char *name, struct text value) {
    if (value.size > 0) {
        markup_fill(view->html, "<input type=\"hidden\" name=\"{}\" value=\"{}\">", text_of(name), value);
    }
}

/* A form rather than a link: the browser encodes what it keeps. */
static void put_older_link(struct view *view, const struct list *list, const struct given *given, const char *path) {
    markup_fill(view->html, "<form class=\"pages\" method=\"get\" action=\"{}\">", text_of(path));
    put_kept(view, "state", given->state);
    put_kept(view, "currency", given->currency);
    put_kept(view, "network", given->network);
    put_kept(view, "merchant", given->merchant_id == 0 ? TEXT("") : part_number(view, given->merchant_id));
    put_kept(view, "from", given->from);
    put_kept(view, "to", given->to);
    put_kept(view, "before", part_number(view, list->place.id));
    put_kept(view, "at", part_number(view, (uint64_t)list->place.at));
    markup_fill(view->html, "<button>{}</button></form>\n", say(view, SAY_OLDER));
}

bool list_row_end(struct list *list) {
    list->shown++;
    if (list->line != NULL) {
        return outlet_send(list->view->outlet, csv_line_end(list->line));
    }
    markup_add(list->view->html, "</tr>\n");
    return list->shown < LIST_PAGE_ROWS;
}

/* From `before` and `at` of the address, else from the end of the time that is asked for. */
static enum status find_list_place(struct list *list, enum console_list kind) {
    const struct console_request *request = list->view->request;
    uint64_t at = 0;
    if (request_query_number(request, "before", list->view->arena, &list->place.id)) {
        (void)request_query_number(request, "at", list->view->arena, &at); /* without it: by the number alone */
        list->place.at = at > INT64_MAX ? 0 : (instant)at;
        return STATUS_OK;
    }
    return console_places_seek(&list->reader, kind, &list->filter, &list->place);
}

static bool is_by_order(const struct list *list, const struct list_kind *kind) {
    return kind->caption_of_orders != SAY_NONE && !kind->is_by_age(list);
}

/* Everything that a list goes back to is older than what is asked for. A list by another time never knows. */
static bool is_behind(const struct list *list, const struct list_kind *kind) {
    return list->place.at != 0 && list->filter.since != 0 && list->place.at < list->filter.since - DAY &&
           kind->is_by_age(list);
}

static enum status read_list_page(struct list *list, const struct list_kind *kind) {
    duration began = clock_monotonic();
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !list->place.ended && list->shown < LIST_PAGE_ROWS &&
           clock_monotonic() - began < PAGE_LOOKING_MAX) {
        status = kind->read(list);
        list->place.ended = list->place.ended || is_behind(list, kind);
    }
    return status;
}

/* How far a page came that is not full. */
static enum status put_looked_back(struct list *list, const struct list_kind *kind) {
    struct view *view = list->view;
    bool by_order = is_by_order(list, kind);
    enum status status = by_order ? console_places_date(&list->reader, &list->filter, &list->place) : STATUS_OK;
    if (status == STATUS_OK && list->place.at != 0) {
        markup_fill(view->html, "<p>{} <strong>{}</strong>.</p>\n",
                    say(view, by_order ? kind->looked_back_of_orders : SAY_LOOKED_BACK),
                    view_moment(view, list->place.at));
    }
    return status;
}

static enum status make_list_page(struct view *view, const struct list_kind *kind, const struct given *given,
                                  struct list *list) {
    enum status status = put_list_filters(view, kind, given);
    if (given->has_wrong_day) {
        markup_fill(view->html, "<p class=\"note bad\" role=\"alert\">{}</p>\n", say(view, SAY_WRONG_DAY));
        return status;
    }
    put_table(view, is_by_order(list, kind) ? kind->caption_of_orders : kind->caption, kind->columns);
    status = status == STATUS_OK ? read_list_page(list, kind) : status;
    put_table_end_or(view, list->place.ended ? SAY_NO_ROWS : SAY_NO_ROWS_YET);
    if (!list->place.ended && list->shown < LIST_PAGE_ROWS) {
        status = status == STATUS_OK ? put_looked_back(list, kind) : status;
    }
    if (!list->place.ended) {
        put_older_link(view, list, given, kind->path);
    }
    return status;
}

static void send_columns(struct list *list, const char *const *columns) {
    for (; *columns != NULL; columns++) {
        csv_line_plain(list->line, *columns);
    }
    (void)outlet_send(list->view->outlet, csv_line_end(list->line)); /* the next line tells */
}

/* A file that does not reach its end has a line that says so: the header with the status has gone. */
static void send_rows(struct list *list, const struct list_kind *kind) {
    struct outlet *outlet = list->view->outlet;
    duration began = clock_monotonic();
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !list->place.ended && clock_monotonic() - began < FILE_TIME_MAX &&
           outlet_is_wanted(outlet)) {
        status = kind->read(list);
        list->place.ended = list->place.ended || is_behind(list, kind);
        arena_reset(list->reader.arena);
    }
    if (status != STATUS_OK || !list->place.ended) {
        csv_line_text(list->line, say(list->view, SAY_CUT_SHORT));
        (void)outlet_send(outlet, csv_line_end(list->line)); /* nothing comes behind it */
    }
}

static enum status send_csv(struct view *view, const struct list_kind *kind, struct list *list) {
    struct csv_line line = {NULL, 0, 0, 0};
    if (view->outlet->is_head) {
        outlet_begin_csv(view->outlet, kind->file);
        return STATUS_OK;
    }
    enum status status = file_open(view, &list->reader.connection);
    if (status != STATUS_OK) {
        return status;
    }
    list->line = &line;
    list->reader.arena = arena_create();
    outlet_begin_csv(view->outlet, kind->file);
    send_columns(list, kind->csv_columns);
    send_rows(list, kind);
    list->line = NULL;
    csv_line_free(&line);
    arena_destroy(list->reader.arena);
    file_close(view, list->reader.connection);
    return STATUS_OK;
}

enum status list_make(struct view *view, const struct list_kind *kind) {
    struct given given = read_given(view);
    struct list list = {.view = view, .reader = view_reader(view), .filter = filter_of(view, &given)};
    view->title = say(view, kind->title);
    enum status status = find_list_place(&list, kind->list);
    if (status != STATUS_OK) {
        return status;
    }
    return given.is_csv && !given.has_wrong_day ? send_csv(view, kind, &list)
                                                : make_list_page(view, kind, &given, &list);
}
