#include "store/console/orders.h"
#include "console/pages/list.h"
#include "console/pages/pages.h"
#include "domain/currency.h"
#include "domain/instant.h"

static const enum say COLUMNS[] = {SAY_ORDER,  SAY_REFERENCE, SAY_ITS_MERCHANT, SAY_STATE,
                                   SAY_AMOUNT, SAY_DUE,       SAY_CREATED,      SAY_NONE};

static const char *const CSV_COLUMNS[] = {"pv_po_id",   "po_id",       "merchant", "reference", "state",
                                          "amount",     "currency",    "due_at",   "origin",    "created_at",
                                          "changed_at", "description", NULL};

static void put_order_row(struct view *view, const struct order_now *order) {
    markup_add(view->html, "<tr><th scope=\"row\">");
    part_order_link(view, order->id, order->po_id);
    markup_fill(view->html, "</th><td>{}</td>", order->reference);
    part_merchant_cell(view, order->merchant);
    markup_add(view->html, "<td>");
    part_state(view, PART_ORDER_STATES, order->state);
    markup_add(view->html, "</td>");
    markup_fill(view->html, "<td class=\"number\">{}</td>", part_order_amount(view, order->amount, order->currency));
    part_moment_cell(view, view_last_moment(view, order->due_at));
    part_moment_cell(view, order->created_at);
}

static void write_order(struct csv_line *line, const struct order_now *order) {
    char amount[MONEY_TEXT_SIZE], at[INSTANT_TEXT_SIZE];
    csv_line_number(line, order->id);
    csv_line_text(line, order->po_id);
    csv_line_text(line, order->merchant);
    csv_line_text(line, order->reference);
    csv_line_text(line, order->state);
    csv_line_plain(line, currency_print(order->currency, order->amount, amount));
    csv_line_text(line, order->currency);
    csv_line_plain(line, instant_print(order->due_at, at));
    csv_line_text(line, order->origin);
    csv_line_plain(line, instant_print(order->created_at, at));
    csv_line_plain(line, instant_print(order->changed_at, at));
    csv_line_text(line, order->description);
}

static bool list_order(void *context, const struct order_now *order) {
    struct list *list = context;
    if (list->line != NULL) {
        write_order(list->line, order);
    } else {
        put_order_row(list->view, order);
    }
    return list_row_end(list);
}

static enum status read_orders(struct list *list) {
    return console_orders_list(&list->reader, &list->filter, &list->place, list_order, list);
}

static bool is_by_age(const struct list *list) {
    (void)list;
    return true;
}

static const struct list_kind ORDERS = {.path = "/orders",
                                        .file = "orders.csv",
                                        .title = SAY_ORDERS,
                                        .caption = SAY_ORDERS_CAPTION,
                                        .columns = COLUMNS,
                                        .from = SAY_CREATED_FROM,
                                        .to = SAY_CREATED_TO,
                                        .states = PART_ORDER_STATES,
                                        .list = CONSOLE_ORDERS,
                                        .csv_columns = CSV_COLUMNS,
                                        .read = read_orders,
                                        .is_by_age = is_by_age};

enum status page_orders(struct view *view) {
    return list_make(view, &ORDERS);
}
