#include "console/pages/settlement_list.h"

#include "console/pages/parts.h"
#include "store/payment/settlements.h"

enum { NEWEST_SHOWN = 30, NEWEST_LOOKED_AT = 400 };

static void put_settlement_link(struct view *view, uint64_t number) {
    struct text digits = part_number(view, number);
    markup_fill(view->html, "<a href=\"/settlement?number={}\">{}</a>", digits, digits);
}

/* The counts are of all parties together. */
static bool may_see_counts(const struct view *view) {
    return view_reader(view).scope.everything;
}

static void put_settlement_row(void *context, const struct settlement_row *row) {
    struct view *view = context;
    markup_add(view->html, "<tr><th scope=\"row\">");
    put_settlement_link(view, row->number);
    markup_fill(view->html, "</th><td>{}</td><td>{}</td>", row->day, row->zone);
    part_moment_cell(view, row->opened_at);
    part_moment_cell(view, row->closed_at);
    for (enum operation_kind kind = 0; kind < OPERATION_KINDS && may_see_counts(view); kind++) {
        markup_fill(view->html, "<td class=\"number\">{}</td>",
                    row->is_summed ? view_count(view, row->counts[kind]) : TEXT("–"));
    }
    markup_add(view->html, "</tr>\n");
}

enum status settlement_list_put(struct view *view) {
    static const enum say COLUMNS[] = {SAY_NUMBER, SAY_DATE, SAY_TIME_ZONE, SAY_BEGINS, SAY_ENDS, SAY_NONE};
    static const enum say COLUMNS_WITH_COUNTS[] = {SAY_NUMBER,          SAY_DATE,           SAY_TIME_ZONE,
                                                   SAY_BEGINS,          SAY_ENDS,           SAY_FINALISED,
                                                   SAY_CANCELLED_COUNT, SAY_REFUNDED_COUNT, SAY_NONE};
    put_table(view, SAY_LAST_SETTLEMENTS, may_see_counts(view) ? COLUMNS_WITH_COUNTS : COLUMNS);
    enum status status = settlements_list(view->connection, NEWEST_SHOWN, view->arena, put_settlement_row, view);
    put_table_end(view);
    return status;
}

struct within {
    struct view *view;
    instant from, to;
    bool found;
};

static void put_if_within(void *context, const struct settlement_row *row) {
    struct within *within = context;
    struct view *view = within->view;
    if (!row->is_closed || row->opened_at >= within->to || row->closed_at <= within->from) {
        return;
    }
    if (!within->found) {
        markup_fill(view->html, "<p class=\"note\">{} ", say(view, SAY_CLOSED_OF_DAY));
    } else {
        markup_add(view->html, ", ");
    }
    within->found = true;
    put_settlement_link(view, row->number);
    if (row->day.size > 0) {
        markup_fill(view->html, " ({}, {})", row->day, row->zone);
    }
}

enum status settlement_list_put_within(struct view *view, instant from, instant to) {
    struct within within = {view, from, to, false};
    enum status status = settlements_list(view->connection, NEWEST_LOOKED_AT, view->arena, put_if_within, &within);
    if (within.found) {
        markup_add(view->html, "</p>\n");
    }
    return status;
}
