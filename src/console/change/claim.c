#include "console/change/change.h"
#include "console/change/changes.h"
#include "console/pages/parts.h"
#include "store/console/orders.h"
#include "store/payment/approvals.h"
#include "store/payment/claims.h"

#include <inttypes.h>

static const struct {
    const char *state;
    enum say refusal;
} REFUSALS[] = {{"PENDIENTE", SAY_CLAIM_UNPAID},
                {"VENCIDA", SAY_CLAIM_EXPIRED},
                {"CANCELADA", SAY_CLAIM_DELETED},
                {"ANULADA", SAY_CLAIM_REFUNDED}};

/* If the window has closed but the approval is not stored yet, the claim stores it first. */
static enum say judge_claim(const struct order_now *order) {
    if (order->window_closed) {
        return SAY_NONE;
    }
    if (text_equal(order->state, TEXT("PENDIENTE")) && order->held_until != 0) {
        return SAY_CLAIM_HELD;
    }
    for (size_t i = 0; i < COUNT_OF(REFUSALS); i++) {
        if (text_equal(order->state, text_of(REFUSALS[i].state))) {
            return REFUSALS[i].refusal;
        }
    }
    return SAY_NONE;
}

/* If a claim of the order already waits for a second user, refuses: a second claim would change nothing. */
static enum status judge_claim_that_waits(struct change *change, const struct order_now *order) {
    struct view *view = change->view;
    struct approval approval;
    enum status status = approvals_of_claim(view->connection, order->id, view->arena, &approval);
    if (status != STATUS_OK) {
        return status == STATUS_NONE ? STATUS_OK : status;
    }
    change->back = TEXT("/approvals");
    change->refusal = say(view, SAY_CLAIM_WAITS);
    put_fact(view, SAY_APPROVAL_NUMBER, part_number(view, approval.id));
    put_fact(view, SAY_ASKED_BY, approval.asked_by);
    put_fact(view, SAY_APPROVAL_REASON, approval.reason);
    put_fact(view, SAY_APPROVAL_EXPIRES, view_moment(view, approval.expires_at));
    return STATUS_OK;
}

static enum status read_claimed_order(struct change *change) {
    struct view *view = change->view;
    struct order_now order;
    uint64_t newest;
    enum status status = console_orders_find(&change->reader, change->id, &order);
    if (status == STATUS_OK) {
        status = approvals_newest(view->connection, APPROVAL_CLAIM, change->id, &newest);
    }
    if (status != STATUS_OK) {
        return status;
    }
    change->back = arena_print(view->arena, "/orders/%" PRIu64, order.id);
    change->seen = arena_print(view->arena, "%.*s %" PRIu64,
                               TEXT_ARGS(order.window_closed ? TEXT("APROBADA") : order.state), newest);
    change->refusal = say(view, judge_claim(&order));
    put_fact(view, SAY_MERCHANT, order.merchant);
    put_fact(view, SAY_PO_ID, order.po_id);
    put_fact(view, SAY_REFERENCE, order.reference);
    put_fact(view, SAY_AMOUNT, view_amount(view, order.amount, order.currency));
    put_fact(view, SAY_STATE, part_state_word(view, PART_ORDER_STATES, order.state));
    put_fact(view, SAY_CUSTOMER, order.customer_name);
    return judge_claim_that_waits(change, &order);
}

static enum status send_claim(struct change *change) {
    const struct claim claim = {.order_id = change->id, .reason = change->reason, .user_id = change->view->user->id};
    enum claim_outcome outcome;
    enum status status = claims_write(change->view->connection, &claim, &outcome);
    if (status == STATUS_OK && outcome == CLAIM_WAITS) {
        change->back = TEXT("/approvals");
    }
    return status == STATUS_OK && outcome == CLAIM_WAITS_ALREADY ? STATUS_CHANGED : status;
}

enum status change_claim(struct view *view) {
    static const struct change_kind KIND = {.title = SAY_CLAIM_TITLE,
                                            .consequence = SAY_CLAIM_CONSEQUENCE,
                                            .button = SAY_CLAIM_BUTTON,
                                            .read = read_claimed_order,
                                            .write = send_claim};
    return change_make(view, &KIND);
}
