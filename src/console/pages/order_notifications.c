#include "base/utf8.h"
#include "console/pages/order.h"

/* Of a reply so many bytes are shown. */
enum { REPLY_SHOWN = 4096 };

/* Only operators see replies (doc/security.md): where private addresses are allowed, an endpoint's may be another's. */
static void put_reply(struct view *view, struct text reply) {
    if (reply.size == 0) {
        markup_fill(view->html, "<td class=\"nothing\">{}</td>", say(view, SAY_NO_REPLY));
        return;
    }
    struct text shown = {reply.at, reply.size < REPLY_SHOWN ? reply.size : REPLY_SHOWN};
    markup_fill(view->html, "<td><details><summary>{}</summary><pre tabindex=\"0\">{}</pre></details></td>",
                say(view, SAY_REPLY), utf8_repair(shown, view->arena));
}

static void put_attempt(struct view *view, const struct attempt_row *row) {
    bool acknowledged = text_equal(row->reason, TEXT("acknowledged"));
    markup_fill(view->html, "<tr><th scope=\"row\">{}</th>", view_count(view, row->number));
    part_moment_cell(view, row->started_at);
    markup_fill(view->html, "<td class=\"number\">{}</td><td>",
                row->http_status == 0 ? TEXT("–") : part_number(view, row->http_status));
    put_state(view, acknowledged ? TONE_GOOD : TONE_BAD, part_reason(view, row->reason));
    markup_fill(view->html, "</td><td class=\"number\">{}</td><td><code>{}</code></td>",
                part_milliseconds(view, row->took), row->url);
    if (view_may_operate(view)) {
        put_reply(view, row->reply);
    }
    markup_add(view->html, "</tr>\n");
}

static void put_attempts(struct view *view, const struct shown_notification *shown) {
    const enum say columns[] = {SAY_NUMBER,
                                SAY_SENT_AT,
                                SAY_HTTP_STATUS,
                                SAY_VERDICT,
                                SAY_TOOK,
                                SAY_URL,
                                view_may_operate(view) ? SAY_REPLY : SAY_NONE,
                                SAY_NONE};
    if (shown->attempts == NULL) {
        markup_fill(view->html, "<p>{}</p>\n", say(view, shown->row.in_hand ? SAY_SENT_NOW : SAY_NO_ATTEMPT));
        return;
    }
    put_table(view, SAY_ATTEMPTS_CAPTION, columns);
    for (const struct shown_attempt *attempt = shown->attempts; attempt != NULL; attempt = attempt->next) {
        put_attempt(view, &attempt->row);
    }
    put_table_end(view);
}

/* That it was to be sent again, which whoever asked for it wants to read next. */
static void put_last_retry(const struct order_page *page, uint64_t notification_id) {
    struct view *view = page->view;
    const struct event *last = NULL;
    for (const struct shown_event *shown = page->events; shown != NULL; shown = shown->next) {
        const struct console_event *event = &shown->event;
        if (text_equal(event->subject, TEXT("notification")) && event->subject_id == notification_id &&
            text_equal(event->event.what, TEXT("retried"))) {
            last = &event->event;
        }
    }
    if (last != NULL) {
        markup_fill(view->html, "<p class=\"note\" role=\"status\"><strong>{}</strong> ", say(view, SAY_RETRY_TAKEN));
        put_moment(view, last->at);
        markup_fill(view->html, " <bdi>{}</bdi></p>\n", view_actor(view, last->actor));
    }
}

static void put_notification(const struct order_page *page, const struct shown_notification *shown) {
    struct view *view = page->view;
    const struct notification_row *row = &shown->row;
    markup_fill(view->html, "<section id=\"{}\"><h2>{} {} ", row->webhook_id, say(view, SAY_NOTIFICATION), row->status);
    part_state(view, PART_NOTIFICATION_STATES, row->state);
    markup_add(view->html, "</h2>\n");
    put_last_retry(page, row->id);
    markup_add(view->html, "<dl class=\"facts\">\n");
    put_fact(view, SAY_WEBHOOK_ID, row->webhook_id);
    put_fact(view, SAY_AMOUNT, view_amount(view, row->amount, row->currency));
    put_fact(view, SAY_URL_NOW, row->url);
    part_moment_fact(view, SAY_CREATED, row->created_at);
    part_moment_fact(view, SAY_FINISHED, row->settled_at);
    if (row->in_hand) {
        put_fact(view, SAY_NEXT_TRY, say(view, SAY_SENT_NOW));
    } else {
        part_moment_fact(view, SAY_NEXT_TRY, text_equal(row->state, TEXT("pending")) ? row->due_at : 0);
    }
    markup_add(view->html, "</dl>\n");
    if (view_may_support(view) || view->user->role == ROLE_MERCHANT) {
        markup_add(view->html, "<p class=\"actions\">");
        part_action(view, "notifications", row->id, "retry", SAY_RETRY_BUTTON);
        markup_add(view->html, "</p>\n");
    }
    put_attempts(view, shown);
    markup_add(view->html, "</section>\n");
}

void order_notifications_put(struct order_page *page) {
    for (const struct shown_notification *shown = page->notifications; shown != NULL; shown = shown->next) {
        put_notification(page, shown);
    }
}
