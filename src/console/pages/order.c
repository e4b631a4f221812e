#include "console/pages/order.h"

#include "console/pages/pages.h"
#include "store/external/offers.h"

/* Appends a copy of `row` to a list of the page. */
#define APPEND(page, last, type, value)                                                                                \
    do {                                                                                                               \
        struct type *node = arena_alloc((page)->view->arena, sizeof *node);                                            \
        node->value;                                                                                                   \
        *(page)->last = node;                                                                                          \
        (page)->last = &node->next;                                                                                    \
    } while (false)

static void add_transaction(void *context, const struct transaction_now *transaction) {
    struct order_page *page = context;
    APPEND(page, last_transaction, shown_transaction, row = *transaction);
}

static void add_notification(void *context, const struct notification_row *notification) {
    struct order_page *page = context;
    struct shown_notification *shown = arena_alloc(page->view->arena, sizeof *shown);
    shown->row = *notification;
    shown->last_attempt = &shown->attempts;
    *page->last_notification = shown;
    page->last_notification = &shown->next;
}

static void add_attempt(void *context, const struct attempt_row *attempt) {
    struct order_page *page = context;
    for (struct shown_notification *of = page->notifications; of != NULL; of = of->next) {
        if (of->row.id == attempt->notification_id) {
            struct shown_attempt *shown = arena_alloc(page->view->arena, sizeof *shown);
            shown->row = *attempt;
            *of->last_attempt = shown;
            of->last_attempt = &shown->next;
        }
    }
}

static void add_event(void *context, const struct console_event *event) {
    struct order_page *page = context;
    APPEND(page, last_event, shown_event, event = *event);
}

static void add_query(void *context, const struct query_row *query) {
    struct order_page *page = context;
    APPEND(page, last_query, shown_query, row = *query);
}

static enum status read_order_parts(struct order_page *page) {
    const struct console_reader *reader = &page->reader;
    uint64_t id = page->order.id;
    enum status status = console_transactions_of_order(reader, id, add_transaction, page);
    if (status == STATUS_OK) {
        status = console_orders_asked(reader, &page->order, &page->asked);
    }
    if (status == STATUS_OK) {
        status = offers_list_networks(reader->connection, id, reader->arena, &page->offered_to);
    }
    if (status == STATUS_OK) {
        status = console_notifications_of_order(reader, id, add_notification, page);
    }
    if (status == STATUS_OK) {
        status = console_attempts_of_order(reader, id, add_attempt, page);
    }
    if (status == STATUS_OK) {
        status = console_events_of_order(reader, id, add_event, page);
    }
    if (status == STATUS_OK) {
        status = console_events_of_notifications(reader, id, add_event, page);
    }
    return status == STATUS_OK ? console_queries_of_order(reader, id, add_query, page) : status;
}

const struct transaction_now *order_page_payment(const struct order_page *page) {
    for (const struct shown_transaction *shown = page->transactions; shown != NULL; shown = shown->next) {
        if (text_equal(shown->row.state, TEXT("FINALIZADA")) || text_equal(shown->row.state, TEXT("CONFIRMADA"))) {
            return &shown->row;
        }
    }
    return NULL;
}

static void put_transactions(struct order_page *page) {
    static const enum say COLUMNS[] = {SAY_TRANSACTION, SAY_NETWORK,   SAY_STATE,        SAY_AMOUNT,    SAY_TELLER,
                                       SAY_REGISTERED,  SAY_CONFIRMED, SAY_CANCELLED_AT, SAY_IDSERVICE, SAY_NONE};
    struct view *view = page->view;
    if (page->transactions == NULL) {
        return;
    }
    put_table(view, SAY_PAYMENTS, COLUMNS);
    for (const struct shown_transaction *shown = page->transactions; shown != NULL; shown = shown->next) {
        const struct transaction_now *row = &shown->row;
        markup_fill(view->html, "<tr><th scope=\"row\"><bdi>{}</bdi></th>", row->network_transaction);
        part_text_cell(view, row->network);
        markup_add(view->html, "<td>");
        part_state(view, PART_TRANSACTION_STATES, row->state);
        markup_add(view->html, "</td>");
        part_amount_cell(view, row->amount, row->currency);
        part_text_cell(view, row->teller);
        part_moment_cell(view, row->registered_at);
        part_moment_cell(view, row->confirmed_at);
        part_moment_cell(view, row->cancelled_at);
        markup_fill(view->html, "<td class=\"number\">{}</td></tr>\n", part_number(view, row->id));
    }
    put_table_end(view);
}

static void put_queries(struct order_page *page) {
    static const enum say COLUMNS[] = {SAY_ASKED_AT,    SAY_REFERENCE, SAY_NETWORK, SAY_OUTCOME,
                                       SAY_HTTP_STATUS, SAY_TOOK,      SAY_DETAIL,  SAY_NONE};
    struct view *view = page->view;
    if (page->queries == NULL) {
        return;
    }
    put_table(view, SAY_QUERIES, COLUMNS);
    for (const struct shown_query *shown = page->queries; shown != NULL; shown = shown->next) {
        part_query_row(view, &shown->row);
    }
    put_table_end(view);
}

/* host/pay?token=..., as merchants get it, with HTTPS: the token is a secret. A sandbox has none, at its own loopback
 * address. */
static void put_slip(struct order_page *page) {
    struct view *view = page->view;
    struct text base = text_of(view->config->worker.public_base);
    if (page->order.token.size > 0) {
        markup_fill(view->html, "<div><dt>{}</dt><dd><a rel=\"noreferrer\" href=\"{}://{}\">{}</a></dd></div>\n",
                    say(view, SAY_SLIP), text_begins(base, TEXT("127.0.0.1:")) ? TEXT("http") : TEXT("https"),
                    order_slip_address(base.at, page->order.token, view->arena), say(view, SAY_OPEN_SLIP));
    }
}

static void put_facts(struct order_page *page) {
    struct view *view = page->view;
    const struct order_now *order = &page->order;
    markup_fill(view->html, "<section><h2>{}</h2>\n<dl class=\"facts\">\n", say(view, SAY_ORDER));
    put_fact(view, SAY_OUR_NUMBER, part_number(view, order->id));
    put_fact(view, SAY_PO_ID, order->po_id);
    put_fact(view, SAY_REFERENCE, order->reference);
    put_fact(view, SAY_MERCHANT, order->merchant);
    put_fact(view, SAY_AMOUNT, part_order_amount(view, order->amount, order->currency));
    if (order->has_limits) {
        put_fact(view, SAY_LEAST, view_amount(view, order->least, order->currency));
        put_fact(view, SAY_MOST, view_amount(view, order->most, order->currency));
    }
    put_fact(view, SAY_DESCRIPTION, order->description);
    part_moment_fact(view, SAY_DUE, view_last_moment(view, order->due_at));
    part_moment_fact(view, SAY_CREATED, order->created_at);
    part_moment_fact(view, SAY_CHANGED, order->changed_at);
    put_fact(view, SAY_CHANGED_BY, view_actor(view, order->changed_by));
    put_fact(view, SAY_ORIGIN, part_state_word(view, PART_ORDER_ORIGINS, order->origin));
    put_fact(view, SAY_OFFERED_TO, page->offered_to);
    put_fact(view, SAY_CUSTOMER, order->customer_name);
    put_fact(view, SAY_DOCUMENT, order->document);
    put_fact(view, SAY_EMAIL, order->email);
    put_fact(view, SAY_MEANS, order->payment_means);
    put_slip(page);
    markup_add(view->html, "</dl></section>\n");
}

enum status page_order(struct view *view) {
    uint64_t id;
    struct order_page *page = arena_alloc(view->arena, sizeof *page);
    *page = (struct order_page){.view = view,
                                .reader = view_reader(view),
                                .last_transaction = &page->transactions,
                                .last_notification = &page->notifications,
                                .last_event = &page->events,
                                .last_query = &page->queries};
    enum status status = part_id(view, &id) ? console_orders_find(&page->reader, id, &page->order) : STATUS_NONE;
    if (status == STATUS_OK) {
        status = read_order_parts(page);
    }
    if (status != STATUS_OK) {
        return status;
    }
    view->title = arena_print(view->arena, "%.*s %.*s", TEXT_ARGS(say(view, SAY_ORDER)), TEXT_ARGS(page->order.po_id));
    order_answer_put(page);
    put_transactions(page);
    order_notifications_put(page);
    put_queries(page);
    put_facts(page);
    order_timeline_put(page);
    return STATUS_OK;
}
