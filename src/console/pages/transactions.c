#include "store/console/transactions.h"
#include "console/pages/list.h"
#include "console/pages/pages.h"
#include "domain/currency.h"
#include "domain/instant.h"

static const enum say COLUMNS[] = {SAY_TRANSACTION, SAY_NETWORK, SAY_REFERENCE,  SAY_STATE,
                                   SAY_AMOUNT,      SAY_TELLER,  SAY_REGISTERED, SAY_NONE};

static const char *const CSV_COLUMNS[] = {"idservice",     "network",      "transaction",  "pv_po_id",     "reference",
                                          "state",         "amount",       "currency",     "commerce",     "teller",
                                          "registered_at", "confirmed_at", "finalised_at", "cancelled_at", NULL};

static void put_transaction_row(struct view *view, const struct transaction_now *transaction) {
    struct text target = transaction->order_id == 0
                             ? arena_print(view->arena, "/transactions/%llu", (unsigned long long)transaction->id)
                             : arena_print(view->arena, "/orders/%llu", (unsigned long long)transaction->order_id);
    markup_fill(view->html, "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th>", target,
                transaction->network_transaction);
    part_text_cell(view, transaction->network);
    markup_fill(view->html, "<td>{}</td><td>", transaction->reference);
    part_state(view, PART_TRANSACTION_STATES, transaction->state);
    markup_add(view->html, "</td>");
    part_amount_cell(view, transaction->amount, transaction->currency);
    part_text_cell(view, transaction->teller);
    part_moment_cell(view, transaction->registered_at);
}

static void write_moment(struct csv_line *line, instant at) {
    char text[INSTANT_TEXT_SIZE];
    csv_line_plain(line, at == 0 ? "" : instant_print(at, text));
}

static void write_transaction(struct csv_line *line, const struct transaction_now *transaction) {
    char amount[MONEY_TEXT_SIZE];
    csv_line_number(line, transaction->id);
    csv_line_text(line, transaction->network);
    csv_line_text(line, transaction->network_transaction);
    if (transaction->order_id == 0) {
        csv_line_nothing(line, 1);
    } else {
        csv_line_number(line, transaction->order_id);
    }
    csv_line_text(line, transaction->reference);
    csv_line_text(line, transaction->state);
    csv_line_plain(line, currency_print(transaction->currency, transaction->amount, amount));
    csv_line_text(line, transaction->currency);
    csv_line_text(line, transaction->commerce);
    csv_line_text(line, transaction->teller);
    write_moment(line, transaction->registered_at);
    write_moment(line, transaction->confirmed_at);
    write_moment(line, transaction->finalised_at);
    write_moment(line, transaction->cancelled_at);
}

static bool list_transaction(void *context, const struct transaction_now *transaction) {
    struct list *list = context;
    if (list->line != NULL) {
        write_transaction(list->line, transaction);
    } else {
        put_transaction_row(list->view, transaction);
    }
    return list_row_end(list);
}

static enum status read_transactions(struct list *list) {
    return console_transactions_list(&list->reader, &list->filter, &list->place, list_transaction, list);
}

/* Those of a merchant come by their orders, and an old order may be paid today. */
static bool is_by_age(const struct list *list) {
    return list->reader.scope.everything && list->filter.merchant_id == 0;
}

static const struct list_kind TRANSACTIONS = {.path = "/transactions",
                                              .file = "transactions.csv",
                                              .title = SAY_TRANSACTIONS,
                                              .caption = SAY_TRANSACTIONS_CAPTION,
                                              .caption_of_orders = SAY_TRANSACTIONS_OF_ORDERS,
                                              .looked_back_of_orders = SAY_LOOKED_BACK_ORDERS,
                                              .columns = COLUMNS,
                                              .from = SAY_REGISTERED_FROM,
                                              .to = SAY_REGISTERED_TO,
                                              .states = PART_TRANSACTION_STATES,
                                              .list = CONSOLE_TRANSACTIONS,
                                              .has_networks = true,
                                              .csv_columns = CSV_COLUMNS,
                                              .read = read_transactions,
                                              .is_by_age = is_by_age};

enum status page_transactions(struct view *view) {
    return list_make(view, &TRANSACTIONS);
}

/* A payment belongs to its order's page; a top-up has one of its own. */
enum status page_transaction(struct view *view) {
    uint64_t id;
    struct transaction_now transaction;
    struct console_reader reader = view_reader(view);
    enum status status = part_id(view, &id) ? console_transactions_find(&reader, id, &transaction) : STATUS_NONE;
    if (status != STATUS_OK) {
        return status;
    }
    if (transaction.order_id != 0) {
        view->location = arena_print(view->arena, "/orders/%llu", (unsigned long long)transaction.order_id);
        return STATUS_OK;
    }
    view->title = arena_print(view->arena, "%.*s %.*s", TEXT_ARGS(say(view, SAY_TOP_UP)),
                              TEXT_ARGS(transaction.network_transaction));
    markup_add(view->html, "<section class=\"answer\"><p class=\"figure\">");
    markup_fill(view->html, "{}</p><p>", view_amount(view, transaction.amount, transaction.currency));
    part_state(view, PART_TRANSACTION_STATES, transaction.state);
    markup_add(view->html, "</p><dl class=\"facts\">\n");
    put_fact(view, SAY_NETWORK, transaction.network);
    put_fact(view, SAY_TELLER, transaction.teller);
    put_fact(view, SAY_DOCUMENT, transaction.document);
    put_fact(view, SAY_IDSERVICE, part_number(view, transaction.id));
    part_moment_fact(view, SAY_REGISTERED, transaction.registered_at);
    part_moment_fact(view, SAY_CONFIRMED, transaction.confirmed_at);
    part_moment_fact(view, SAY_WINDOW_ENDS, transaction.window_ends_at);
    part_moment_fact(view, SAY_CANCELLED_AT, transaction.cancelled_at);
    markup_add(view->html, "</dl></section>\n");
    return STATUS_OK;
}
