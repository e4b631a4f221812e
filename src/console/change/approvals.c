#include "console/change/approval_kinds.h"
#include "console/change/changes.h"
#include "console/core/changes.h"
#include "console/pages/parts.h"

enum { APPROVALS_SHOWN = 50 };

static const struct part_state STATES[] = {
    {"waiting", TONE_WAITING, SAY_APPROVAL_WAITING}, {"stale", TONE_OFF, SAY_APPROVAL_IS_STALE},
    {"expired", TONE_OFF, SAY_APPROVAL_IS_EXPIRED},  {"approved", TONE_GOOD, SAY_APPROVAL_APPROVED},
    {"refused", TONE_BAD, SAY_APPROVAL_REFUSED},     {NULL, TONE_PLAIN, SAY_NONE}};

/* Shows a claim's order and amount, or another change's old and new values. */
static void put_what_waits(struct view *view, const struct approval *approval) {
    part_text_cell(view, approval_kind_word(view, approval));
    markup_add(view->html, "<td>");
    if (approval_is_claim(approval)) {
        part_order_link(view, approval->subject_id, approval->po_id);
        markup_fill(view->html, " <span class=\"keep\">{}</span>",
                    view_amount(view, approval->amount, approval->currency));
    } else {
        put_changes(view, approval->changes);
    }
    markup_add(view->html, "</td>");
    part_text_cell(view, approval_whose(approval));
}

/* Who and when in one cell: a row that is wider than the window hides the buttons at its end. */
static void put_who(struct view *view, struct text who, instant at) {
    markup_fill(view->html, "<td><bdi>{}</bdi> ", who);
    put_moment(view, at);
    markup_add(view->html, "</td>");
}

static void put_question(struct view *view, const struct approval *approval) {
    markup_fill(view->html, "<tr><th scope=\"row\">{}</th>", part_number(view, approval->id));
    put_what_waits(view, approval);
    part_text_cell(view, approval->reason);
    put_who(view, approval->asked_by, approval->asked_at);
}

static void put_waiting_row(struct view *view, const struct approval *approval) {
    put_question(view, approval);
    part_moment_cell(view, approval->expires_at);
    markup_add(view->html, "<td>");
    part_state(view, STATES, approval->state);
    if (text_equal(approval->state, TEXT("waiting")) && view_may_operate(view)) {
        markup_add(view->html, " ");
        part_action(view, "approvals", approval->id, "approve", SAY_APPROVE);
        part_action(view, "approvals", approval->id, "refuse", SAY_REFUSE);
    }
    markup_add(view->html, "</td></tr>\n");
}

static void put_answered_row(struct view *view, const struct approval *approval) {
    put_question(view, approval);
    markup_add(view->html, "<td>");
    part_state(view, STATES, approval->state);
    markup_add(view->html, "</td>");
    put_who(view, approval->answered_by, approval->answered_at);
    part_text_cell(view, approval->answer);
    markup_add(view->html, "</tr>\n");
}

static const enum say WAITING_COLUMNS[] = {SAY_NUMBER,           SAY_APPROVAL_CHANGE, SAY_APPROVAL_OF_WHAT,
                                           SAY_APPROVAL_WHOSE,   SAY_REASON,          SAY_ASKED_BY,
                                           SAY_APPROVAL_EXPIRES, SAY_STATE,           SAY_NONE};

static const enum say ANSWERED_COLUMNS[] = {
    SAY_NUMBER,   SAY_APPROVAL_CHANGE, SAY_APPROVAL_OF_WHAT, SAY_APPROVAL_WHOSE, SAY_REASON,
    SAY_ASKED_BY, SAY_STATE,           SAY_ANSWERED_BY,      SAY_APPROVAL_SAID,  SAY_NONE};

static const struct approvals_part_kind {
    const char *name; /* the part's name in the address */
    enum say caption;
    enum approval_choice choice;
    const enum say *columns;
    void (*put_row)(struct view *view, const struct approval *approval);
} APPROVAL_PARTS[] = {
    {"waiting", SAY_APPROVALS_WAITING, APPROVALS_WAITING, WAITING_COLUMNS, put_waiting_row},
    {"answered", SAY_APPROVALS_ANSWERED, APPROVALS_ANSWERED, ANSWERED_COLUMNS, put_answered_row},
};

struct approval_part {
    struct view *view;
    const struct approvals_part_kind *kind;
    size_t found;
    uint64_t last; /* number of the last approval shown */
};

/* One row more than shown is read, to find out whether there are more. */
static void take_approval(void *context, const struct approval *approval) {
    struct approval_part *part = context;
    if (part->found++ < APPROVALS_SHOWN) {
        part->kind->put_row(part->view, approval);
        part->last = approval->id;
    }
}

static enum status put_approvals(struct view *view, const struct approvals_part_kind *kind, uint64_t before) {
    struct approval_part part = {.view = view, .kind = kind};
    const struct approval_filter filter = {.choice = kind->choice, .before = before, .limit = APPROVALS_SHOWN + 1};
    put_table(view, kind->caption, kind->columns);
    enum status status = approvals_list(view->connection, &filter, view->arena, take_approval, &part);
    put_table_end(view);
    if (part.found > APPROVALS_SHOWN) {
        markup_fill(view->html,
                    "<p class=\"actions\"><a class=\"button\" href=\"/approvals?part={}&amp;before={}\">{}</a></p>\n",
                    text_of(kind->name), part_number(view, part.last), say(view, SAY_OLDER));
    }
    return status;
}

/* For staff only (see the table of pages). Shows waiting changes, then answered ones. An address with a part and a
 * number shows the older rows of that part. */
enum status page_approvals(struct view *view) {
    struct text wanted = request_query(view->request, "part", view->arena);
    uint64_t before;
    bool goes_on = request_query_number(view->request, "before", view->arena, &before) && before <= INT64_MAX;
    enum status status = STATUS_OK;
    bool shows_one = wanted.size == 0;
    for (size_t i = 0; i < COUNT_OF(APPROVAL_PARTS); i++) {
        shows_one = shows_one || text_equal(wanted, text_of(APPROVAL_PARTS[i].name));
    }
    if (!shows_one) {
        return STATUS_NONE;
    }
    view->title = say(view, SAY_APPROVALS);
    markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, SAY_APPROVALS_ADVICE));
    for (size_t i = 0; status == STATUS_OK && i < COUNT_OF(APPROVAL_PARTS); i++) {
        if (wanted.size == 0 || text_equal(wanted, text_of(APPROVAL_PARTS[i].name))) {
            status = put_approvals(view, &APPROVAL_PARTS[i], goes_on ? before : 0);
        }
    }
    return status;
}
