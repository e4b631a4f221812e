#include "console/pages/pages.h"
#include "console/pages/parts.h"
#include "console/pages/query_parts.h"
#include "domain/order.h"
#include "store/console/notifications.h"
#include "store/console/orders.h"
#include "store/console/transactions.h"

enum { TOKEN_SIZE = 32, REFERENCE_SIZE = 25, DOCUMENT_SIZE = 25, NETWORK_ID_SIZE = 64, HITS_MAX = 200 };

struct hit {
    bool is_order; /* else a top-up */
    uint64_t id;   /* pv_po_id, or IDSERVICE */
    struct text name, reference, party, state, currency;
    struct money amount;
    instant at;
};

struct search {
    struct view *view;
    struct console_reader reader;
    size_t count;
    struct hit hits[HITS_MAX];
};

static bool is_hit(const struct search *search, bool is_order, uint64_t id) {
    for (size_t i = 0; i < search->count; i++) {
        if (search->hits[i].is_order == is_order && search->hits[i].id == id) {
            return true;
        }
    }
    return search->count == HITS_MAX;
}

static void add_order_hit(void *context, const struct order_now *order) {
    struct search *search = context;
    if (!is_hit(search, true, order->id)) {
        search->hits[search->count++] =
            (struct hit){true,         order->id,       order->po_id,  order->reference, order->merchant,
                         order->state, order->currency, order->amount, order->created_at};
    }
}

static void add_top_up(struct search *search, const struct transaction_now *transaction) {
    if (!is_hit(search, false, transaction->id)) {
        search->hits[search->count++] = (struct hit){false,
                                                     transaction->id,
                                                     transaction->network_transaction,
                                                     transaction->reference,
                                                     transaction->network,
                                                     transaction->state,
                                                     transaction->currency,
                                                     transaction->amount,
                                                     transaction->registered_at};
    }
}

/* Transactions are kept until their statement has ended; a payment leads to its order. */
struct found_transactions {
    struct search *search;
    uint64_t orders[HITS_MAX];
    size_t count;
};

static void add_transaction_hit(void *context, const struct transaction_now *transaction) {
    struct found_transactions *found = context;
    if (transaction->order_id == 0) {
        add_top_up(found->search, transaction);
    } else if (found->count < HITS_MAX) {
        found->orders[found->count++] = transaction->order_id;
    }
}

static enum status add_orders_of(struct found_transactions *found) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < found->count && status == STATUS_OK; i++) {
        struct order_now order;
        status = console_orders_find(&found->search->reader, found->orders[i], &order);
        if (status == STATUS_OK) {
            add_order_hit(found->search, &order);
        }
        status = status == STATUS_NONE ? STATUS_OK : status;
    }
    return status;
}

static enum status search_by_key(struct search *search, enum console_order_key key, struct text value) {
    return console_orders_search(&search->reader, key, value, add_order_hit, search);
}

/* Our number of an order, or IDSERVICE. */
static enum status search_numbers(struct search *search, struct text wanted) {
    uint64_t number;
    if (!text_to_number(wanted, &number) || number > INT64_MAX) {
        return STATUS_OK;
    }
    struct order_now order;
    enum status status = console_orders_find(&search->reader, number, &order);
    if (status == STATUS_OK) {
        add_order_hit(search, &order);
    }
    struct transaction_now transaction;
    struct found_transactions found = {.search = search};
    if (status == STATUS_OK || status == STATUS_NONE) {
        status = console_transactions_find(&search->reader, number, &transaction);
    }
    if (status == STATUS_OK) {
        add_transaction_hit(&found, &transaction);
        status = add_orders_of(&found);
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}

static enum status search_transactions(struct search *search, struct text wanted) {
    struct found_transactions found = {.search = search};
    enum status status = STATUS_OK;
    if (wanted.size <= NETWORK_ID_SIZE) {
        status = console_transactions_search(&search->reader, wanted, add_transaction_hit, &found);
    }
    if (status == STATUS_OK && wanted.size <= DOCUMENT_SIZE) {
        status = console_transactions_of_document(&search->reader, wanted, add_transaction_hit, &found);
    }
    return status == STATUS_OK ? add_orders_of(&found) : status;
}

static bool is_slip_token(struct text wanted) {
    bool fits = wanted.size == TOKEN_SIZE;
    for (size_t i = 0; i < wanted.size && fits; i++) {
        fits = text_is_digit(wanted.at[i]) || (wanted.at[i] >= 'a' && wanted.at[i] <= 'f');
    }
    return fits;
}

/* The token of a slip's address, or what was typed. */
static struct text take_token_of_address(struct text wanted) {
    static const char MARK[] = "token=";
    for (size_t i = 0; i + sizeof MARK - 1 + TOKEN_SIZE <= wanted.size; i++) {
        if (memcmp(wanted.at + i, MARK, sizeof MARK - 1) == 0) {
            return (struct text){wanted.at + i + sizeof MARK - 1, TOKEN_SIZE};
        }
    }
    return wanted;
}

/* What a value cannot be is not looked for: identifiers are ASCII, and a column of ASCII takes nothing else. */
static bool is_ascii(struct text wanted) {
    for (size_t i = 0; i < wanted.size; i++) {
        if ((unsigned char)wanted.at[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

static enum status search_everything(struct search *search, struct text wanted) {
    static const enum console_order_key NUMBERS[] = {CONSOLE_BY_PO_ID, CONSOLE_BY_REFERENCE, CONSOLE_BY_OLD_REFERENCE,
                                                     CONSOLE_BY_DOCUMENT};
    if (text_begins(wanted, TEXT("ntf_"))) {
        return search_by_key(search, CONSOLE_BY_WEBHOOK_ID, wanted);
    }
    enum status status = is_slip_token(wanted) ? search_by_key(search, CONSOLE_BY_TOKEN, wanted) : STATUS_OK;
    if (status == STATUS_OK) {
        status = search_numbers(search, wanted);
    }
    for (size_t i = order_number_is_valid(wanted) ? 0 : 1; i < COUNT_OF(NUMBERS) && status == STATUS_OK; i++) {
        if (i == 0 || wanted.size <= REFERENCE_SIZE) {
            status = search_by_key(search, NUMBERS[i], wanted);
        }
    }
    return status == STATUS_OK ? search_transactions(search, wanted) : status;
}

/* Slips show a reference in groups, and so it is read out. Digits with blanks between them, without these; else what
 * was typed. */
static struct text join_groups(const struct view *view, struct text wanted) {
    char *digits = arena_alloc(view->arena, wanted.size + 1);
    size_t count = 0;
    for (size_t i = 0; i < wanted.size; i++) {
        if (text_is_digit(wanted.at[i])) {
            digits[count++] = wanted.at[i];
        } else if (wanted.at[i] != ' ') {
            return wanted;
        }
    }
    return (struct text){digits, count};
}

static struct text address_of_hit(const struct view *view, const struct hit *hit) {
    return arena_print(view->arena, "/%s/%llu", hit->is_order ? "orders" : "transactions", (unsigned long long)hit->id);
}

static void put_hits(struct search *search) {
    static const enum say COLUMNS[] = {SAY_FOUND_AS, SAY_REFERENCE, SAY_PARTY, SAY_STATE,
                                       SAY_AMOUNT,   SAY_CREATED,   SAY_NONE};
    struct view *view = search->view;
    put_table(view, SAY_FOUND, COLUMNS);
    for (size_t i = 0; i < search->count; i++) {
        const struct hit *hit = &search->hits[i];
        markup_fill(view->html, "<tr><th scope=\"row\">{} <a href=\"{}\">{}</a></th><td>{}</td>",
                    say(view, hit->is_order ? SAY_ORDER : SAY_TOP_UP), address_of_hit(view, hit), hit->name,
                    hit->reference);
        part_text_cell(view, hit->party);
        markup_add(view->html, "<td>");
        part_state(view, hit->is_order ? PART_ORDER_STATES : PART_TRANSACTION_STATES, hit->state);
        markup_add(view->html, "</td>");
        markup_fill(view->html, "<td class=\"number\">{}</td>", part_order_amount(view, hit->amount, hit->currency));
        part_moment_cell(view, hit->at);
        markup_add(view->html, "</tr>\n");
    }
    put_table_end(view);
}

static void put_nothing_found(struct view *view, struct text wanted) {
    if (wanted.size > 0) {
        markup_fill(view->html, "<p class=\"note waiting\" role=\"status\">{} <strong><bdi>{}</bdi></strong></p>\n",
                    say(view, SAY_NOTHING_FOUND), wanted);
    }
    markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, SAY_LOOKED_FOR));
}

struct asked_reference {
    struct query_row newest;
    size_t read, of_merchant; /* queries; those to the merchant of the newest */
};

static void count_query(void *context, const struct query_row *query) {
    struct asked_reference *asked = context;
    if (asked->read++ == 0) {
        asked->newest = *query;
    }
    asked->of_merchant += query->record.merchant_id == asked->newest.record.merchant_id;
}

/* What came of the queries about a reference that no order of the reader has. */
static void put_asked_reference(struct view *view, const struct asked_reference *asked) {
    const struct query_record *newest = &asked->newest.record;
    markup_fill(
        view->html,
        "<p class=\"note waiting\" role=\"status\"><strong><bdi>{}</bdi></strong> {}</p>\n<dl class=\"facts\">\n",
        newest->reference, say(view, view->user->role == ROLE_MERCHANT ? SAY_OWN_NO_ORDER_ASKED : SAY_NO_ORDER_ASKED));
    put_fact(view, SAY_MERCHANT, asked->newest.merchant);
    put_fact(view, SAY_TIMES_ASKED,
             arena_print(view->arena, "%s%zu", asked->read == CONSOLE_QUERIES_MAX ? "≥ " : "", asked->of_merchant));
    part_moment_fact(view, SAY_LAST_ASKED, newest->asked_at);
    put_fact(view, SAY_NETWORK, asked->newest.network);
    markup_fill(view->html, "<div><dt>{}</dt><dd>", say(view, SAY_OUTCOME));
    query_put_outcome(view, newest);
    markup_add(view->html, " ");
    query_put_detail(view, &asked->newest);
    markup_add(view->html, "</dd></div>\n</dl>\n");
    markup_fill(view->html, "<p class=\"actions\"><a class=\"button\" href=\"/merchants/{}\">{}</a></p>\n",
                part_number(view, newest->merchant_id), say(view, SAY_SEE_QUERIES));
}

static enum status put_no_hit(struct search *search, struct text wanted, bool can_be) {
    struct asked_reference asked = {.read = 0};
    enum status status = STATUS_OK;
    if (can_be && wanted.size <= REFERENCE_SIZE) {
        status = console_queries_of_reference(&search->reader, wanted, count_query, &asked);
    }
    if (asked.read > 0) {
        put_asked_reference(search->view, &asked);
    } else {
        put_nothing_found(search->view, wanted);
    }
    return status;
}

enum status page_search(struct view *view) {
    struct text wanted = take_token_of_address(request_query(view->request, "q", view->arena));
    struct search *search = arena_alloc(view->arena, sizeof *search);
    search->view = view;
    search->reader = view_reader(view);
    view->title = say(view, SAY_FIND);
    bool can_be = wanted.size > 0 && wanted.size <= ORDER_NUMBER_MAX && is_ascii(wanted);
    enum status status = can_be ? search_everything(search, wanted) : STATUS_OK;
    struct text joined = can_be ? join_groups(view, wanted) : wanted;
    if (status == STATUS_OK && search->count == 0 && joined.size < wanted.size) {
        wanted = joined;
        status = search_everything(search, wanted);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (search->count == 1) {
        view->location = address_of_hit(view, &search->hits[0]);
    } else if (search->count == 0) {
        return put_no_hit(search, wanted, can_be);
    } else {
        put_hits(search);
    }
    return STATUS_OK;
}
