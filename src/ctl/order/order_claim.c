#include "ctl/order/order_claim.h"

#include "ctl/common/reason.h"
#include "ctl/common/waiting.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/order/order_find.h"
#include "ctl/order/order_records.h"
#include "domain/currency.h"
#include "domain/instant.h"
#include "store/payment/approvals.h"
#include "store/payment/claims.h"

static const struct {
    const char *state, *why;
} REFUSALS[] = {
    {"PENDIENTE", "nobody has paid it yet"},
    {"VENCIDA", "it expired without being paid"},
    {"CANCELADA", "the merchant deleted it before it was paid"},
    {"ANULADA", "it is refunded already"},
};

static const char *reason_against_claim(const struct context *context, const struct order_now *order) {
    if (order->window_closed) {
        return "its window has closed, and the approval is not written yet; try again";
    }
    if (text_equal(order->state, TEXT("PENDIENTE")) && order->held_until != 0) {
        char until[INSTANT_TEXT_SIZE];
        return arena_print(context->arena, "the network can cancel its payment until %s; claim it after that",
                           instant_print(order->held_until, until))
            .at;
    }
    for (size_t i = 0; i < COUNT_OF(REFUSALS); i++) {
        if (text_equal(order->state, text_of(REFUSALS[i].state))) {
            return REFUSALS[i].why;
        }
    }
    return "it is being changed at this moment; try again"; /* it became APROBADA after the claim was refused */
}

/* Refuses the claim with the order's current state, and why that state allows no claim. */
static enum outcome refuse_state(const struct context *context, uint64_t id) {
    struct order_now order;
    enum status status = orders_now_find(context->connection, id, context->arena, &order);
    if (status != STATUS_OK) {
        return fail(context, status, "read the order");
    }
    return refuse(context, "order %llu is %.*s: %s", (unsigned long long)id, TEXT_ARGS(order.state),
                  reason_against_claim(context, &order));
}

static enum outcome show_claimed(const struct context *context, uint64_t id) {
    struct order_now order;
    enum status status = orders_now_find(context->connection, id, context->arena, &order);
    if (status != STATUS_OK) {
        return fail_after(context, status, "read the order", "the claim is stored");
    }
    struct record *record = record_create(context->arena);
    order_records_whole(record, &order, &context->config, context->arena);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static enum outcome say_it_waits(const struct context *context, uint64_t id) {
    struct approval approval;
    enum status status = approvals_of_claim(context->connection, id, context->arena, &approval);
    return refuse(context, "order %llu is not claimed yet: %s", (unsigned long long)id,
                  waiting_advice(context, status == STATUS_OK ? approval.id : 0));
}

static enum outcome say_one_waits(const struct context *context, uint64_t id) {
    struct approval approval;
    enum status status = approvals_of_claim(context->connection, id, context->arena, &approval);
    if (status == STATUS_NONE) {
        return refuse(context,
                      "an earlier claim of order %llu was answered at this moment; nothing was changed: look at "
                      "the order (recaudoctl order show %llu)",
                      (unsigned long long)id, (unsigned long long)id);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "read the claim that waits; this one was not stored");
    }
    return refuse(
        context,
        "order %llu is claimed by %.*s already, and that waits for the approval of a second user; nothing was "
        "changed: recaudoctl approval show %llu",
        (unsigned long long)id, TEXT_ARGS(approval.asked_by), (unsigned long long)approval.id);
}

enum { PAID_SHOWN = PAID_LISTED_MOST - 1 };

struct paid_orders {
    struct arena *arena;
    size_t count;
    uint64_t last;
    struct text shown; /* for people, the newest first */
};

static void note_paid(void *of_paid, const struct paid_order *order) {
    struct paid_orders *paid = of_paid;
    char amount[MONEY_TEXT_SIZE], at[INSTANT_TEXT_SIZE];
    if (paid->count < PAID_SHOWN) {
        paid->shown =
            arena_print(paid->arena, "%.*s%sid:%llu (%.*s of %.*s, %s %.*s, paid at %s)", TEXT_ARGS(paid->shown),
                        paid->count == 0 ? "" : ", ", (unsigned long long)order->id, TEXT_ARGS(order->po_id),
                        TEXT_ARGS(order->merchant), currency_print(order->currency, order->amount, amount),
                        TEXT_ARGS(order->currency), instant_print(order->paid_at, at));
    }
    paid->last = order->id;
    paid->count++;
}

/* A reference can be used again once its order is closed. The customer's claim may be about any order that was paid
 * with it. */
static enum outcome refuse_ambiguous(const struct context *context, const struct order_now *order) {
    struct text word = context->arguments.words[0];
    struct paid_orders paid = {.arena = context->arena, .shown = TEXT("")};
    if (arguments_has(&context->arguments, "merchant") || !text_equal(order->reference, word)) {
        return OUTCOME_DONE;
    }
    enum status status = claims_list_paid(context->connection, word, context->arena, note_paid, &paid);
    if (status != STATUS_OK) {
        return fail(context, status, "list the paid orders of the reference");
    }
    if (paid.count == 1 && paid.last != order->id) {
        return refuse(context,
                      "order %llu, the newest with the reference %.*s, is %.*s: %s; nothing was changed; an older one "
                      "is paid: if the customer means that one, claim it by its number: %.*s",
                      (unsigned long long)order->id, TEXT_ARGS(word), TEXT_ARGS(order->state),
                      reason_against_claim(context, order), TEXT_ARGS(paid.shown));
    }
    return paid.count < 2
               ? OUTCOME_DONE
               : refuse(context,
                        "reference %.*s has several paid orders, nothing was changed; claim one by its "
                        "number: %.*s%s",
                        TEXT_ARGS(word), TEXT_ARGS(paid.shown), paid.count > PAID_SHOWN ? ", and older" : "");
}

enum outcome order_claim(struct context *context) {
    struct order_now order;
    struct text reason;
    enum outcome outcome = reason_take(context, REASON_MAX, &reason);
    if (outcome == OUTCOME_DONE) {
        outcome = order_find(context, context->arguments.words[0], &order);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = refuse_ambiguous(context, &order);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum claim_outcome claimed = CLAIM_REFUSED;
    const struct claim claim = {.order_id = order.id, .reason = reason, .actor = context->actor};
    enum status status = claims_write(context->connection, &claim, &claimed);
    if (status == STATUS_CHANGED) {
        return refuse_state(context, order.id);
    }
    if (status == STATUS_OK && claimed != CLAIM_DONE) {
        return claimed == CLAIM_WAITS ? say_it_waits(context, order.id) : say_one_waits(context, order.id);
    }
    return status == STATUS_OK ? show_claimed(context, order.id) : fail(context, status, "store the claim");
}
