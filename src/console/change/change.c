#include "console/change/change.h"

/* The outcome of a sent form. */
struct sending {
    bool is_done;
    enum say complaint; /* SAY_NONE: none */
    int status;         /* HTTP status, if there is a complaint */
};

static bool is_post(const struct view *view) {
    return text_equal(view->request->method, TEXT("POST"));
}

static size_t reason_max(const struct change_kind *kind) {
    return kind->reason_max == 0 ? REASON_MAX : kind->reason_max;
}

static enum say judge_reason(const struct change_kind *kind, struct text reason) {
    if (reason.size == 0) {
        return SAY_REASON_MISSING;
    }
    return text_has_control(reason) || text_characters(reason) > reason_max(kind) ? SAY_REASON_UNFIT : SAY_NONE;
}

/* A form that is sent twice is refused, because the first one has changed the state it saw. */
static enum status send_change(struct change *change, const struct change_kind *kind, struct sending *out) {
    struct view *view = change->view;
    bool is_as_seen =
        change->refusal.size == 0 && text_equal(change->seen, request_form(view->request, "seen", view->arena));
    change->reason = request_form(view->request, "reason", view->arena);
    *out = (struct sending){.complaint = SAY_CHANGED_SINCE, .status = 409};
    if (!is_as_seen) {
        return STATUS_OK;
    }
    enum say complaint = judge_reason(kind, change->reason);
    if (complaint != SAY_NONE) {
        *out = (struct sending){.complaint = complaint, .status = 400};
        return STATUS_OK;
    }
    enum status status = kind->write(change);
    out->is_done = status == STATUS_OK;
    return status == STATUS_CHANGED || status == STATUS_CLASH ? STATUS_OK : status;
}

static void put_change_form(const struct change *change, const struct change_kind *kind) {
    struct view *view = change->view;
    struct text query = view->request->query;
    markup_fill(view->html, "<form class=\"fields\" method=\"post\" action=\"{}{}{}\">\n", view->request->path,
                query.size > 0 ? TEXT("?") : TEXT(""), query);
    put_token(view, view->request->path);
    markup_fill(
        view->html,
        "<input type=\"hidden\" name=\"seen\" value=\"{}\">\n"
        "<label>{} <input name=\"reason\" required maxlength=\"{}\" value=\"{}\" autocomplete=\"off\"></label>\n",
        change->seen, say(view, SAY_REASON), arena_print(view->arena, "%zu", reason_max(kind)), change->reason);
    markup_fill(view->html,
                "<p class=\"actions\"><button class=\"main\">{}</button> <a class=\"button\" href=\"{}\">{}</a></p>\n"
                "</form>\n",
                say(view, kind->button), change->back, say(view, SAY_DO_NOTHING));
}

static void put_page(const struct change *change, const struct change_kind *kind, const struct markup *facts,
                     enum say complaint) {
    struct view *view = change->view;
    view->title = say(view, kind->title);
    if (complaint != SAY_NONE) {
        markup_fill(view->html, "<p class=\"note bad\" role=\"alert\">{}</p>\n", say(view, complaint));
    }
    markup_add(view->html, "<section>\n<dl class=\"facts\">\n");
    markup_append(view->html, facts);
    markup_add(view->html, "</dl></section>\n");
    if (change->refusal.size > 0) {
        markup_fill(
            view->html,
            "<p class=\"note waiting\">{}</p>\n<p class=\"actions\"><a class=\"button\" href=\"{}\">{}</a></p>\n",
            change->refusal, change->back, say(view, SAY_GO_BACK));
    } else {
        markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, kind->consequence));
        put_change_form(change, kind);
    }
}

enum status change_make(struct view *view, const struct change_kind *kind) {
    struct change change = {.view = view, .reader = view_reader(view), .reason = TEXT("")};
    struct sending sending = {.complaint = SAY_NONE, .status = 200};
    struct markup *page = view->html;
    if (!text_to_number(view->words[0], &change.id) || change.id > INT64_MAX) {
        return STATUS_NONE;
    }
    view->html = markup_create(view->arena);
    enum status status = kind->read(&change);
    if (status == STATUS_OK && is_post(view)) {
        status = send_change(&change, kind, &sending);
    }
    struct markup *facts = view->html;
    view->html = page;
    if (status != STATUS_OK) {
        return status;
    }
    if (sending.is_done) {
        view->location = change.back;
    } else {
        view->status = sending.status;
        put_page(&change, kind, facts, sending.complaint);
    }
    return STATUS_OK;
}
