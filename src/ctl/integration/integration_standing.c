#include "ctl/integration/integration_standing.h"

#include "ctl/core/failure.h"
#include "domain/payable.h"
#include "store/external/offers.h"
#include "store/order/orders_now.h"
#include "store/order/payables.h"
#include "store/order/references.h"
#include "store/schema/schema.h"

/* The stored data about the offered order and its reference. */
struct standing {
    const struct integration *integration;
    const struct offer *offer;
    struct payable payable;
    struct offer_scene scene;
    struct text open_number; /* the merchant's, of the open order in the scene */
    struct offer_plan plan;
    struct reference_description owner; /* of the reference, if storing the offer would give it to the order */
};

static bool offers_something(const struct standing *standing) {
    return standing->offer->po_id.size > 0;
}

static bool gets_reference(const struct standing *standing) {
    const struct offer_plan *plan = &standing->plan;
    return plan->act == OFFER_INSERT ||
           (plan->act == OFFER_REFRESH && !text_equal(plan->order->reference, standing->offer->reference));
}

static enum status read_open_number(const struct context *context, struct standing *out) {
    struct order_now open;
    enum status status =
        orders_now_find(context->connection, out->scene.same_reference.order.id, context->arena, &open);
    out->open_number = status == STATUS_OK ? open.po_id : TEXT("");
    return status;
}

static enum status read_standing(struct context *context, struct standing *out) {
    const struct offer *offer = out->offer;
    const struct connection_options options = {.config = &context->config,
                                               .account = &context->config.database.operator};
    enum status status = schema_connect(&options, &context->connection);
    if (status == STATUS_OK) {
        status = payables_find(context->connection, offer->reference, context->arena, &out->payable);
    }
    if (status == STATUS_OK) {
        status = offers_find(context->connection, offer, context->arena, &out->scene);
    }
    if (status == STATUS_OK && out->scene.same_reference.exists) {
        status = read_open_number(context, out);
    }
    if (status != STATUS_OK || !offers_something(out)) {
        return status;
    }
    out->plan = offer_judge(offer, &out->scene);
    return out->plan.refusal == GRANTED && gets_reference(out)
               ? references_describe(context->connection, offer->reference, context->arena, &out->owner)
               : STATUS_OK;
}

/* The merchant's number of the order that has the reference; ours, if it is another merchant's order. */
static struct text payable_number(const struct standing *standing, struct arena *arena) {
    const struct order *order = &standing->payable.order;
    const struct offer_scene *scene = &standing->scene;
    bool is_own = scene->same_reference.exists && scene->same_reference.order.id == order->id &&
                  order->merchant_id == standing->offer->merchant_id;
    return is_own ? standing->open_number : arena_print(arena, "%llu", (unsigned long long)order->id);
}

/* Says why a lookup of the reference sends no query. */
static enum outcome judge_asking(const struct standing *standing, struct arena *arena) {
    const struct payable *payable = &standing->payable;
    const struct order *order = &payable->order;
    struct text reference = standing->offer->reference, number = payable_number(standing, arena);
    if (payable->has_account) {
        remark("reference %.*s is an account's: a lookup is about the account and does not query",
               TEXT_ARGS(reference));
    } else if (!payable->has_order || !order_is_open(order, payable->now) || order_window_closed(order, payable->now)) {
        return OUTCOME_DONE;
    } else if (order->held_by != 0) {
        remark("order %.*s, which has the reference %.*s, is being confirmed: a lookup gets 0106 and does not query",
               TEXT_ARGS(number), TEXT_ARGS(reference));
    } else if (order->origin != ORIGIN_EXTERNAL) {
        remark("order %.*s, which was registered or imported, has the reference %.*s: a lookup is about that order and "
               "does not query",
               TEXT_ARGS(number), TEXT_ARGS(reference));
    } else if (order->merchant_id != standing->offer->merchant_id) {
        remark("order %.*s of another merchant has the reference %.*s: a lookup is about that order and does not query",
               TEXT_ARGS(number), TEXT_ARGS(reference));
    } else {
        return OUTCOME_DONE;
    }
    return OUTCOME_REFUSED;
}

static bool is_somebody_else(const struct standing *standing, struct text merchant) {
    return merchant.size > 0 && !text_equal(merchant, standing->integration->merchant);
}

static bool has_another_owner(const struct standing *standing) {
    const struct reference_description *owner = &standing->owner;
    return owner->is_account || (owner->is_kept && is_somebody_else(standing, owner->merchant)) ||
           is_somebody_else(standing, owner->prefix_merchant);
}

static const struct {
    enum refusal refusal;
    const char *words;
} REFUSED_ORDERS[] = {
    {REFUSED_HELD, "is being confirmed: a lookup gets 0106"},
    {REFUSED_PAID, "was paid here: a lookup gets 0102, whatever is answered; offer another number"},
    {REFUSED_EXPIRED, "has expired here: a lookup gets 0103, whatever is answered; offer another number"},
    {REFUSED_DELETED, "was deleted here: a lookup gets 0104, whatever is answered; offer another number"},
    {REFUSED_REFUNDED, "was refunded here: a lookup gets 0105, whatever is answered; offer another number"}};

/* An offer that is refused leaves the open order under its reference as it is. */
static void remark_open_order(const struct standing *standing) {
    const struct offer_scene *scene = &standing->scene;
    const struct order *open = &scene->same_reference.order;
    if (scene->same_reference.exists && order_is_open(open, scene->now) &&
        (!scene->same_number.exists || scene->same_number.order.id != open->id)) {
        remark("order %.*s, which was offered under this reference before, stays open",
               TEXT_ARGS(standing->open_number));
    }
}

static enum outcome judge_offered(const struct standing *standing, struct arena *arena) {
    if (standing->plan.refusal == REFUSED_MERCHANT_ANSWER) {
        remark("order %.*s %.*s: a lookup gets 0109; offer another number", TEXT_ARGS(standing->offer->po_id),
               TEXT_ARGS(offer_conflict(standing->offer, &standing->scene, arena)));
        return OUTCOME_REFUSED;
    }
    for (size_t i = 0; i < COUNT_OF(REFUSED_ORDERS); i++) {
        if (standing->plan.refusal == REFUSED_ORDERS[i].refusal) {
            remark("order %.*s %s", TEXT_ARGS(standing->offer->po_id), REFUSED_ORDERS[i].words);
            remark_open_order(standing);
            return OUTCOME_REFUSED;
        }
    }
    if (has_another_owner(standing)) {
        remark("reference %.*s has another owner (recaudoctl reference show): a lookup gets 0109",
               TEXT_ARGS(standing->offer->reference));
        return OUTCOME_REFUSED;
    }
    return OUTCOME_DONE;
}

enum outcome integration_standing(struct context *context, const struct integration *integration,
                                  const struct offer *offer) {
    struct standing standing = {.integration = integration, .offer = offer};
    enum status status = read_standing(context, &standing);
    if (status != STATUS_OK) {
        return fail(context, status, "read the orders");
    }
    enum outcome outcome = judge_asking(&standing, context->arena);
    if (outcome == OUTCOME_DONE && !integration->merchant_enabled) {
        remark("merchant %.*s is disabled: a lookup gets 0019", TEXT_ARGS(integration->merchant));
        outcome = OUTCOME_REFUSED;
    }
    return outcome == OUTCOME_DONE && offers_something(&standing) ? judge_offered(&standing, context->arena) : outcome;
}
