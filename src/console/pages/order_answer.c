#include "console/pages/order.h"

#include "console/core/refusals.h"
#include "console/pages/query_parts.h"
#include "wire/reply_code.h"

/* What the page says first. */
struct verdict {
    const char *tone; /* class of the section */
    enum say headline;
    instant at;           /* of the headline; 0: none */
    enum refusal refusal; /* what a network that looks the order up gets now */
};

static const struct console_event *find_event_to(const struct order_page *page, const char *state) {
    const struct console_event *found = NULL;
    for (const struct shown_event *shown = page->events; shown != NULL; shown = shown->next) {
        if (text_equal(shown->event.subject, TEXT("order")) && text_equal(shown->event.event.to, text_of(state))) {
            found = &shown->event;
        }
    }
    return found;
}

static bool has_in_state(const struct order_page *page, const char *state) {
    for (const struct shown_transaction *shown = page->transactions; shown != NULL; shown = shown->next) {
        if (text_equal(shown->row.state, text_of(state))) {
            return true;
        }
    }
    return false;
}

static struct verdict judge_pending(const struct order_page *page) {
    const struct order_now *order = &page->order;
    if (order->held_until != 0) {
        return order->window_closed ? (struct verdict){"good", SAY_PAID_UNWRITTEN, order->held_until, REFUSED_HELD}
                                    : (struct verdict){"waiting", SAY_PAID_HELD, order->held_until, REFUSED_HELD};
    }
    enum say headline = has_in_state(page, "CANCELADA")    ? SAY_UNPAID_CANCELLED
                        : has_in_state(page, "REGISTRADA") ? SAY_UNPAID_REGISTERED
                                                           : SAY_UNPAID;
    return (struct verdict){"waiting", headline, view_last_moment(page->view, order->due_at), GRANTED};
}

static struct verdict verdict_on_order(const struct order_page *page) {
    const struct order_now *order = &page->order;
    const struct transaction_now *payment = order_page_payment(page);
    const struct console_event *refund = find_event_to(page, "ANULADA");
    if (text_equal(order->state, TEXT("APROBADA"))) {
        return (struct verdict){"good", SAY_PAID, payment == NULL ? 0 : payment->confirmed_at, REFUSED_PAID};
    }
    if (text_equal(order->state, TEXT("VENCIDA"))) {
        return (struct verdict){"bad", SAY_EXPIRED, view_last_moment(page->view, order->due_at), REFUSED_EXPIRED};
    }
    if (text_equal(order->state, TEXT("CANCELADA"))) {
        return (struct verdict){"bad", SAY_DELETED, order->changed_at, REFUSED_DELETED};
    }
    if (text_equal(order->state, TEXT("ANULADA"))) {
        return (struct verdict){"bad", SAY_REFUNDED, refund == NULL ? order->changed_at : refund->event.at,
                                REFUSED_REFUNDED};
    }
    return judge_pending(page);
}

static void put_payment(struct order_page *page) {
    struct view *view = page->view;
    const struct transaction_now *payment = order_page_payment(page);
    if (payment == NULL) {
        return;
    }
    put_fact(view, SAY_AMOUNT_PAID, view_amount(view, payment->amount, payment->currency));
    put_fact(view, SAY_NETWORK, payment->network);
    put_fact(view, SAY_TELLER, payment->teller);
    part_moment_fact(view, SAY_CONFIRMED, payment->confirmed_at);
    put_fact(view, SAY_TRANSACTION, payment->network_transaction);
}

/* Of all payments: so many paid, so many cancelled, so many left without a confirmation. Who asks "was it paid twice?"
 * reads it here. */
static void put_payment_counts(struct order_page *page) {
    static const struct {
        const char *state;
        enum say one, several;
    } STATES[] = {{"FINALIZADA", SAY_COUNT_FINAL, SAY_COUNTS_FINAL},
                  {"CONFIRMADA", SAY_COUNT_CONFIRMED, SAY_COUNTS_CONFIRMED},
                  {"CANCELADA", SAY_COUNT_CANCELLED, SAY_COUNTS_CANCELLED},
                  {"REGISTRADA", SAY_COUNT_REGISTERED, SAY_COUNTS_REGISTERED}};
    struct view *view = page->view;
    struct text words = TEXT("");
    for (size_t i = 0; i < COUNT_OF(STATES); i++) {
        uint64_t count = 0;
        for (const struct shown_transaction *shown = page->transactions; shown != NULL; shown = shown->next) {
            count += text_equal(shown->row.state, text_of(STATES[i].state));
        }
        if (count > 0) {
            words = arena_print(view->arena, "%.*s%s%.*s %.*s", TEXT_ARGS(words), words.size > 0 ? ", " : "",
                                TEXT_ARGS(view_count(view, count)),
                                TEXT_ARGS(say(view, count == 1 ? STATES[i].one : STATES[i].several)));
        }
    }
    put_fact(view, SAY_PAYMENTS, words.size > 0 ? words : say(view, SAY_NO_PAYMENT));
}

static const struct shown_notification *find_last_notification(const struct order_page *page) {
    const struct shown_notification *last = page->notifications;
    while (last != NULL && last->next != NULL) {
        last = last->next;
    }
    return last;
}

/* The merchant itself refunded it, and hears "approved" after that, because no notification of a refund follows. */
static bool is_told_paid_after_refund(const struct order_page *page, const struct shown_notification *last) {
    const struct console_event *refund = find_event_to(page, "ANULADA");
    const struct notification_row *row = &last->row;
    return refund != NULL && text_equal(row->status, TEXT("approved")) &&
           (text_equal(row->state, TEXT("pending")) ||
            (text_equal(row->state, TEXT("delivered")) && row->settled_at > refund->event.at));
}

/* The last notification tells whether the merchant knows how it stands. */
static void put_told(struct order_page *page) {
    struct view *view = page->view;
    const struct shown_notification *last = find_last_notification(page);
    markup_fill(view->html, "<div><dt>{}</dt><dd>", say(view, SAY_TOLD_MERCHANT));
    if (last == NULL) {
        put_words(view, SAY_NOTHING_TO_TELL);
    } else {
        markup_fill(view->html, "<a href=\"#{}\">{}</a> ", last->row.webhook_id, last->row.status);
        part_state(view, PART_NOTIFICATION_STATES, last->row.state);
        markup_add(view->html, " ");
        put_moment(view, last->row.settled_at != 0 ? last->row.settled_at : last->row.created_at);
        if (is_told_paid_after_refund(page, last)) {
            markup_add(view->html, " ");
            put_words(view, view->user->role == ROLE_MERCHANT ? SAY_REFUNDED_DO_NOT_DELIVER : SAY_REFUNDED_UNTOLD);
        }
    }
    markup_add(view->html, "</dd></div>\n");
}

static void put_refund(struct order_page *page) {
    const struct console_event *refund = find_event_to(page, "ANULADA");
    if (refund != NULL) {
        put_fact(page->view, SAY_REFUNDED_BY, view_actor(page->view, refund->event.actor));
        put_fact(page->view, SAY_REASON, view_reason(page->view, refund->event.reason));
    }
}

/* A lookup asks the merchant about all but an open order that it did not offer, and one that is held. */
static bool asks_merchant(const struct order_page *page) {
    const struct order_now *order = &page->order;
    bool open = text_equal(order->state, TEXT("PENDIENTE"));
    return page->asked.has_integration &&
           (!open || (text_equal(order->origin, TEXT("external")) && order->held_until == 0));
}

/* Empty: it is not known, or 0000. */
static struct text code_of_query(const struct query_record *record) {
    static const struct {
        const char *outcome;
        enum refusal refusal;
    } REFUSALS[] = {{"refused", REFUSED_BY_MERCHANT},
                    {"expired", REFUSED_EXPIRED},
                    {"invalid", REFUSED_MERCHANT_ANSWER},
                    {"silent", REFUSED_MERCHANT_SILENT}};
    for (size_t i = 0; i < COUNT_OF(REFUSALS); i++) {
        if (text_equal(record->outcome, text_of(REFUSALS[i].outcome))) {
            return text_of(reply_code_of(REFUSALS[i].refusal)->code);
        }
    }
    return record->problem;
}

static void put_asked(struct order_page *page) {
    struct view *view = page->view;
    markup_fill(view->html, "<div><dt>{}</dt><dd>{}", say(view, SAY_LOOKUP_NOW),
                arena_print(view->arena, "%.*s%s%.*s", TEXT_ARGS(page->asked.networks),
                            page->asked.networks.size > 0 ? ": " : "", TEXT_ARGS(say(view, SAY_LOOKUP_ASKS))));
    if (page->queries != NULL) {
        const struct query_record *last = &page->queries->row.record;
        markup_fill(view->html, ". {}: {} ", say(view, SAY_LAST_ANSWER), code_of_query(last));
        query_put_outcome(view, last);
        markup_add(view->html, " ");
        put_moment(view, last->asked_at);
    }
    markup_add(view->html, "</dd></div>\n");
}

static void put_next_lookup(struct order_page *page, enum refusal refusal) {
    struct view *view = page->view;
    bool asks = asks_merchant(page), is_external = text_equal(page->order.origin, TEXT("external"));
    if (!page->asked.merchant_enabled && (asks || refusal == GRANTED)) {
        asks = false;
        refusal = REFUSED_NOT_AUTHORISED;
    }
    if (asks) {
        put_asked(page);
    }
    if (!asks || page->asked.networks.size > 0) {
        put_fact(view, asks ? SAY_LOOKUP_OTHERS : SAY_LOOKUP_NOW,
                 refusal == GRANTED ? say(view, is_external ? SAY_LOOKUP_OFFERED : SAY_LOOKUP_GRANTED)
                                    : arena_print(view->arena, "%s %.*s", reply_code_of(refusal)->code,
                                                  TEXT_ARGS(refusal_words(refusal, view->language))));
    }
}

void order_answer_put(struct order_page *page) {
    struct view *view = page->view;
    const struct verdict verdict = verdict_on_order(page);
    markup_fill(view->html, "<section class=\"answer {}\"><h2>{}</h2>\n<p class=\"figure\">{}</p>\n<p>",
                text_of(verdict.tone), say(view, verdict.headline),
                part_order_amount(view, page->order.amount, page->order.currency));
    part_state(view, PART_ORDER_STATES, page->order.state);
    markup_add(view->html, " ");
    put_moment(view, verdict.at);
    markup_fill(view->html, " · <bdi>{}</bdi></p>\n<dl class=\"facts\">\n", page->order.merchant);
    put_payment(page);
    put_payment_counts(page);
    put_told(page);
    put_refund(page);
    put_next_lookup(page, verdict.refusal);
    markup_add(view->html, "</dl></section>\n");
    if (view_may_support(view) && text_equal(page->order.state, TEXT("APROBADA"))) {
        markup_add(view->html, "<p class=\"actions\">");
        part_action(view, "orders", page->order.id, "claim", SAY_CLAIM_TITLE);
        markup_add(view->html, "</p>\n");
    }
}
