#include "base/zone/zone.h"
#include "console/core/outlet.h"
#include "console/pages/file.h"
#include "console/pages/pages.h"
#include "console/pages/parts.h"
#include "console/pages/settlement_list.h"
#include "settlement/closing.h"
#include "settlement/comparing.h"
#include "settlement/sheet.h"
#include "store/console/operations.h"
#include "store/console/parties.h"

/* Totals of more operations than are added in PAGE_LOOKING_MAX are made when they are asked for: the page comes before
 * the web server gives it up. A file goes on for as long as somebody reads it, but not for ever. */
#define ADDING_ALL_MAX (20 * SECOND)
#define SHEET_TIME_MAX (10 * MINUTE)

struct settlement_page {
    struct view *view;
    struct console_reader reader;
    struct text day;
    struct settlement settlement;
    struct settlement_span span;
    struct settlement_row row; /* number 0: the day has no settlement */
    struct text digest;        /* stored, of all parties together; empty: none */
    struct tally *tally;
    struct sheet sheet;
    bool is_day, is_future, is_whole; /* is_whole: the totals are complete */
    bool is_settled;                  /* a day that is over, with nothing outside closed settlements */
};

/* Yesterday by the reader's clock, unless the address says another day. */
static enum status take_day(struct settlement_page *page) {
    struct view *view = page->view;
    instant now, local;
    enum status status = settlements_now(page->reader.connection, &now);
    if (status != STATUS_OK) {
        return status;
    }
    page->day = request_query(view->request, "day", view->arena);
    if (page->day.size == 0 && zone_to_local(view->zone, now, &local)) {
        page->day = day_print(view->arena, local - DAY);
    }
    instant begins = 0, ends = 0;
    page->is_day = part_day(view, page->day, &begins, &ends);
    page->is_future = page->is_day && now < begins;
    page->settlement = (struct settlement){
        .date = page->day, .zone = text_of(view->zone), .begins_at = begins, .ends_at = ends, .is_open = true};
    page->span.from = begins;
    page->span.to = now < ends ? now : ends;
    return STATUS_OK;
}

static void take_row(struct settlement_page *page) {
    page->settlement = closing_describe(&page->row);
    page->span.number = page->row.number;
    page->digest = page->row.digest;
    page->is_day = true;
}

/* Of a day that is over: whether all that became final on it is in closed settlements. */
static enum status take_rest(struct settlement_page *page) {
    bool any = true, is_over = page->span.to == page->settlement.ends_at;
    enum status status =
        is_over ? settlements_find_unsettled(page->reader.connection, page->span.from, page->span.to, &any) : STATUS_OK;
    page->is_settled = !any;
    return status;
}

/* False: the address has such a parameter, and it is no number. A mangled link shows nothing rather than other sums.
 * *is_given: it has one. */
static bool take_number_given(const struct view *view, const char *name, uint64_t *out, bool *is_given) {
    *is_given = request_query(view->request, name, view->arena).size > 0;
    return !*is_given || (request_query_number(view->request, name, view->arena, out) && *out <= UINT32_MAX);
}

/* The settlement with that number, or the day's; else the day by its instants. */
static enum status take_settlement(struct settlement_page *page) {
    uint64_t number = 0;
    bool is_given;
    struct view *view = page->view;
    struct connection *connection = page->reader.connection;
    if (!take_number_given(view, "number", &number, &is_given)) {
        return STATUS_NONE;
    }
    if (is_given) {
        enum status status = settlements_find(connection, number, view->arena, &page->row);
        if (status == STATUS_OK) {
            page->day = page->row.day;
            take_row(page);
        }
        return status;
    }
    enum status status = take_day(page);
    if (status != STATUS_OK || !page->is_day) {
        return status;
    }
    const struct named_day named = {page->day, text_of(view->zone), view->config->settlement.zone};
    status = closing_find_day(connection, &named, view->arena, &page->row);
    if (status == STATUS_OK) {
        take_row(page);
    }
    return status == STATUS_NONE ? take_rest(page) : status;
}

/* The parties that the address names; a merchant's user has but one. */
static enum status take_parties(struct settlement_page *page) {
    struct view *view = page->view;
    uint64_t merchant_id = 0, network_id = 0;
    bool has_merchant, has_network;
    struct console_merchant merchant;
    struct network_description network;
    enum status status = STATUS_OK;
    if (!take_number_given(view, "merchant", &merchant_id, &has_merchant) ||
        !take_number_given(view, "network", &network_id, &has_network)) {
        return STATUS_NONE;
    }
    if (!page->reader.scope.everything) {
        merchant_id = page->reader.scope.merchant_id;
    } else if (!has_merchant && has_network) {
        status = console_networks_find(&page->reader, network_id, &network);
        page->settlement.network = status == STATUS_OK ? network.name : TEXT("");
        page->span.network_id = network_id;
    }
    if (merchant_id != 0) {
        status = console_merchants_find(&page->reader, merchant_id, &merchant);
        page->settlement.merchant = status == STATUS_OK ? merchant.description.name : TEXT("");
        page->span.merchant_id = merchant_id;
    }
    return status;
}

static bool is_of_all(const struct settlement_page *page) {
    return page->span.merchant_id == 0 && page->span.network_id == 0;
}

static void add_operation(void *context, const struct operation *operation) {
    struct settlement_page *page = context;
    tally_add(page->tally, operation);
    if (page->sheet.write != NULL) {
        sheet_operation(&page->sheet, operation);
    }
}

/* Until all are added, or `most` is over. The arena of the reader is the walk's own. */
static enum status walk(struct settlement_page *page, duration most) {
    struct console_operation_place place = {.ended = page->is_future};
    duration began = clock_monotonic();
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !place.ended && clock_monotonic() - began < most &&
           outlet_is_wanted(page->view->outlet)) {
        status = console_operations_next(&page->reader, &page->span, &place, add_operation, page);
        arena_reset(page->reader.arena);
    }
    page->is_whole = place.ended;
    return status;
}

static void put_hidden(struct view *view, const char *name, uint64_t value) {
    if (value != 0) {
        markup_fill(view->html, "<input type=\"hidden\" name=\"{}\" value=\"{}\">\n", text_of(name),
                    part_number(view, value));
    }
}

static void put_form_begin(struct view *view) {
    markup_add(view->html, "<form class=\"filters\" method=\"get\" action=\"/settlement\">\n");
}

static void put_day(struct settlement_page *page) {
    markup_fill(page->view->html, "<label>{} <input type=\"date\" name=\"day\" value=\"{}\"></label>\n",
                say(page->view, SAY_DATE), page->day);
}

/* To another day, for the same parties. */
static void put_day_form(struct settlement_page *page) {
    struct view *view = page->view;
    put_form_begin(view);
    put_day(page);
    put_hidden(view, "merchant", page->span.merchant_id);
    put_hidden(view, "network", page->span.network_id);
    markup_fill(view->html, "<button class=\"main\">{}</button>\n</form>\n", say(view, SAY_SHOW));
}

/* What is shown, for other parties or as a file: a settlement by its number, which no zone changes. */
static enum status put_form(struct settlement_page *page) {
    struct view *view = page->view;
    if (page->row.number != 0) {
        put_day_form(page);
    }
    put_form_begin(view);
    if (page->row.number != 0) {
        put_hidden(view, "number", page->row.number);
    } else {
        put_day(page);
    }
    enum status status = part_merchants(view, page->span.merchant_id);
    put_hidden(view, "network", page->span.network_id);
    if (page->row.number == 0 || page->reader.scope.everything) {
        markup_fill(view->html, "<button class=\"main\">{}</button>\n", say(view, SAY_SHOW));
    }
    markup_add(view->html, "<button name=\"format\" value=\"csv\">CSV</button>\n</form>\n");
    return status;
}

static void put_sum(struct view *view, const struct tally_row *row, bool first) {
    char sum[TOTAL_TEXT_SIZE];
    struct text name = row->name.size > 0 ? row->name : say(view, row->scope == TALLY_TOTAL ? SAY_TOTAL : SAY_TOP_UPS);
    markup_fill(view->html, first ? "<tr><th scope=\"row\"><bdi>{}</bdi></th>" : "<tr><td><bdi>{}</bdi></td>", name);
    markup_fill(view->html, "<td>{}</td>", row->currency);
    for (enum operation_kind kind = 0; kind < OPERATION_KINDS; kind++) {
        struct text amount = text_of(total_print(&row->of[kind].amount, row->currency, sum));
        markup_fill(view->html, "<td class=\"number\">{}</td><td class=\"number\">{}</td>",
                    view_count(view, row->of[kind].count), part_decimal(view, amount));
    }
    markup_add(view->html, "</tr>\n");
}

static void put_sums(struct settlement_page *page) {
    static const enum say COLUMNS[] = {SAY_PARTY,  SAY_CURRENCY,       SAY_FINALISED, SAY_AMOUNT, SAY_CANCELLED_COUNT,
                                       SAY_AMOUNT, SAY_REFUNDED_COUNT, SAY_AMOUNT,    SAY_NONE};
    static const enum say CAPTIONS[] = {
        [TALLY_NETWORK] = SAY_BY_NETWORK, [TALLY_MERCHANT] = SAY_BY_MERCHANT, [TALLY_TOTAL] = SAY_TOTAL};
    static const enum tally_scope ORDER[] = {TALLY_TOTAL, TALLY_MERCHANT, TALLY_NETWORK};
    size_t count;
    const struct tally_row *rows = tally_rows(page->tally, &count);
    for (size_t i = 0; i < COUNT_OF(ORDER) && count > 0; i++) {
        put_table(page->view, CAPTIONS[ORDER[i]], COLUMNS);
        for (size_t row = 0; row < count; row++) {
            if (rows[row].scope == ORDER[i]) {
                put_sum(page->view, &rows[row], true);
            }
        }
        put_table_end(page->view);
    }
    if (count == 0) {
        markup_fill(page->view->html, "<p class=\"lead\">{}</p>\n", say(page->view, SAY_NO_OPERATIONS));
    }
}

static void put_settlement_facts(struct settlement_page *page) {
    struct view *view = page->view;
    const struct settlement *settlement = &page->settlement;
    markup_fill(view->html, "<section><h2>{} {}</h2>\n<p>", say(view, SAY_SETTLEMENT), page->day);
    bool is_open = settlement->is_open && !page->is_settled;
    put_state(view, is_open ? TONE_WAITING : TONE_GOOD,
              say(view, is_open            ? SAY_SETTLEMENT_OPEN
                        : page->is_settled ? SAY_SETTLED_ELSEWHERE
                                           : SAY_SETTLEMENT_CLOSED));
    markup_add(view->html, "</p>\n<dl class=\"facts\">\n");
    put_fact(view, SAY_NUMBER, settlement->number == 0 ? TEXT("") : part_number(view, settlement->number));
    part_moment_fact(view, SAY_BEGINS, settlement->begins_at);
    part_moment_fact(view, SAY_ENDS, settlement->ends_at);
    put_fact(view, SAY_CLOSED_BY, view_actor(view, settlement->closed_by));
    put_fact(view, SAY_MERCHANT, settlement->merchant);
    put_fact(view, SAY_NETWORK, settlement->network);
    put_fact(view, SAY_SHA, is_of_all(page) ? page->digest : TEXT(""));
    markup_add(view->html, "</dl></section>\n");
}

/* The day of the page; for a settlement of no day, the one on which it was closed by the reader's clock. Empty: it is
 * open. */
static struct text find_compared_day(const struct settlement_page *page) {
    instant closed;
    bool is_of_closing = page->day.size == 0 && page->row.closed_at != 0 &&
                         zone_to_local(page->view->zone, page->row.closed_at, &closed);
    return is_of_closing ? day_print(page->view->arena, closed) : page->day;
}

/* Networks' lists are for staff. */
static void put_compare_link(const struct settlement_page *page) {
    if (page->reader.scope.everything) {
        markup_fill(page->view->html,
                    "<p class=\"actions\"><a class=\"button\" href=\"/settlement/compare?day={}\">{}</a></p>\n",
                    find_compared_day(page), say(page->view, SAY_COMPARE));
    }
}

static void put_totals_link(struct settlement_page *page) {
    struct view *view = page->view;
    markup_fill(view->html, "<p class=\"note\">{}</p>\n<form class=\"pages\" method=\"get\" action=\"/settlement\">",
                say(view, SAY_MANY_OPERATIONS));
    put_hidden(view, "number", page->row.number);
    put_hidden(view, "merchant", page->span.merchant_id);
    put_hidden(view, "network", page->span.network_id);
    put_hidden(view, "totals", 1);
    markup_fill(view->html, "<input type=\"hidden\" name=\"day\" value=\"{}\"><button>{}</button></form>\n", page->day,
                say(view, SAY_ADD_ALL));
}

/* All of them takes longer than a page may have a connection of the pool's. */
static enum status put_totals(struct settlement_page *page) {
    struct view *view = page->view;
    bool all = !view->outlet->is_head && text_equal(request_query(view->request, "totals", view->arena), TEXT("1"));
    struct console_reader before = page->reader;
    enum status status = all ? file_open(view, &page->reader.connection) : STATUS_OK;
    if (status != STATUS_OK) {
        return status;
    }
    page->reader.arena = arena_create();
    page->tally = tally_create(view->arena);
    status = walk(page, all ? ADDING_ALL_MAX : PAGE_LOOKING_MAX);
    arena_destroy(page->reader.arena);
    if (all) {
        file_close(view, page->reader.connection);
    }
    page->reader = before;
    if (status == STATUS_OK && page->is_whole) {
        put_sums(page);
    } else if (status == STATUS_OK) {
        put_totals_link(page);
    }
    tally_free(page->tally);
    return status;
}

static enum status make_settlement_page(struct settlement_page *page) {
    struct view *view = page->view;
    enum status status = put_form(page);
    if (!page->is_day) {
        markup_fill(view->html, "<p class=\"note bad\" role=\"alert\">{}</p>\n", say(view, SAY_WRONG_DAY));
        return status;
    }
    put_settlement_facts(page);
    if (page->row.number == 0 && status == STATUS_OK) {
        status = settlement_list_put_within(view, page->span.from, page->span.to);
    }
    put_compare_link(page);
    status = status == STATUS_OK ? put_totals(page) : status;
    return status == STATUS_OK ? settlement_list_put(view) : status;
}

static void send_line(void *context, struct text line) {
    (void)outlet_send(context, line); /* the walk asks whether the reader is still there */
}

/* A file that does not reach its end has a line that says so in place of its digest. */
static void send_operations(struct settlement_page *page) {
    struct view *view = page->view;
    size_t count;
    char digest[DIGEST_HEX_SIZE];
    page->sheet = (struct sheet){.write = send_line, .context = view->outlet};
    page->reader.arena = arena_create();
    page->tally = tally_create(view->arena);
    sheet_begin(&page->sheet, &page->settlement);
    enum status status = walk(page, SHEET_TIME_MAX);
    if (status != STATUS_OK || !page->is_whole) {
        page->sheet.write = NULL;
        send_line(view->outlet, arena_print(view->arena, "%.*s\n", TEXT_ARGS(say(view, SAY_CUT_SHORT))));
    }
    const struct tally_row *rows = tally_rows(page->tally, &count);
    sheet_end(&page->sheet, &page->settlement, rows, count, digest);
    tally_free(page->tally);
    arena_destroy(page->reader.arena);
}

static const char *file_name(const struct settlement_page *page) {
    return page->row.number == 0
               ? "settlement.csv"
               : arena_print(page->view->arena, "settlement-%llu.csv", (unsigned long long)page->row.number).at;
}

static enum status send_sheet(struct settlement_page *page) {
    struct outlet *outlet = page->view->outlet;
    enum status status = outlet->is_head ? STATUS_OK : file_open(page->view, &page->reader.connection);
    if (status == STATUS_OK) {
        outlet_begin_csv(outlet, file_name(page));
    }
    if (status == STATUS_OK && !outlet->is_head) {
        send_operations(page);
        file_close(page->view, page->reader.connection);
    }
    return status;
}

enum status page_settlement(struct view *view) {
    struct settlement_page *page = arena_alloc(view->arena, sizeof *page);
    page->view = view;
    page->reader = view_reader(view);
    view->title = say(view, SAY_SETTLEMENT);
    enum status status = take_settlement(page);
    if (status == STATUS_OK) {
        status = take_parties(page);
    }
    if (status != STATUS_OK) {
        return status;
    }
    bool as_file = text_equal(request_query(view->request, "format", view->arena), TEXT("csv"));
    return as_file && page->is_day && !page->is_future ? send_sheet(page) : make_settlement_page(page);
}
