#include "store/payment/approvals.h"
#include "console/change/changes.h"
#include "console/pages/parts.h"

enum { APPROVALS_SHOWN = 200 };

static const struct part_state STATES[] = {
    {"waiting", TONE_WAITING, SAY_APPROVAL_WAITING}, {"stale", TONE_OFF, SAY_APPROVAL_IS_STALE},
    {"expired", TONE_OFF, SAY_APPROVAL_IS_EXPIRED},  {"approved", TONE_GOOD, SAY_APPROVAL_APPROVED},
    {"refused", TONE_BAD, SAY_APPROVAL_REFUSED},     {NULL, TONE_PLAIN, SAY_NONE}};

static void put_approval_row(void *context, const struct approval *approval) {
    struct view *view = context;
    bool waits = text_equal(approval->state, TEXT("waiting"));
    markup_fill(view->html, "<tr><th scope=\"row\">{}</th><td>", part_number(view, approval->id));
    part_order_link(view, approval->order_id, approval->po_id);
    markup_add(view->html, "</td>");
    part_text_cell(view, approval->merchant);
    part_amount_cell(view, approval->amount, approval->currency);
    part_text_cell(view, approval->reason);
    part_text_cell(view, approval->asked_by);
    part_moment_cell(view, approval->asked_at);
    part_moment_cell(view, approval->expires_at);
    markup_add(view->html, "<td>");
    part_state(view, STATES, approval->state);
    markup_add(view->html, "</td>");
    part_text_cell(view, approval->answered_by);
    markup_add(view->html, "<td>");
    if (waits && view_may_operate(view)) {
        part_action(view, "approvals", approval->id, "approve", SAY_APPROVE);
        part_action(view, "approvals", approval->id, "refuse", SAY_REFUSE);
    }
    markup_add(view->html, "</td></tr>\n");
}

/* For staff: the table of pages says so. */
enum status page_approvals(struct view *view) {
    static const enum say COLUMNS[] = {
        SAY_NUMBER,           SAY_ORDER, SAY_MERCHANT,    SAY_AMOUNT,          SAY_REASON, SAY_ASKED_BY, SAY_AT,
        SAY_APPROVAL_EXPIRES, SAY_STATE, SAY_ANSWERED_BY, SAY_APPROVAL_ANSWER, SAY_NONE};
    view->title = say(view, SAY_APPROVALS);
    markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, SAY_APPROVALS_ADVICE));
    put_table(view, SAY_APPROVALS, COLUMNS);
    const struct approval_filter filter = {.limit = APPROVALS_SHOWN};
    enum status status = approvals_list(view->connection, &filter, view->arena, put_approval_row, view);
    put_table_end(view);
    return status;
}
