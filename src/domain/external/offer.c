#include "domain/external/offer.h"

static struct offer_plan refuse_offer(enum refusal refusal) {
    return (struct offer_plan){.refusal = refusal};
}

/* Writes nothing; the reply is the present state of this order. */
static struct offer_plan answer_from(const struct order *order, instant now) {
    return (struct offer_plan){.refusal = order_payable(order, now), .order = order};
}

/* Returns true if the order may lose its reference: an earlier offer of the same merchant that nobody is paying. */
static bool may_end(const struct offer *offer, const struct order *order, instant now) {
    return order->merchant_id == offer->merchant_id && order->origin == ORIGIN_EXTERNAL &&
           order_payable(order, now) == GRANTED;
}

static bool is_unchanged(const struct offer *offer, const struct offered_order *there) {
    const struct order *order = &there->order;
    bool limits_same =
        offer->has_limits == order->has_limits &&
        (!offer->has_limits || (money_equal(offer->least, order->least) && money_equal(offer->most, order->most)));
    return limits_same && money_equal(offer->amount, order->amount) && offer->due_at == order->due_at &&
           text_equal(offer->reference, order->reference) && text_equal(offer->description, order->description) &&
           text_equal(offer->document, order->document) && text_equal(offer->document_type, order->document_type) &&
           text_equal(offer->email, there->email) && text_equal(offer->customer_name, there->customer_name);
}

/* An order that the merchant registered or imported keeps its reference and its terms. */
static struct offer_plan judge_own(const struct offer *offer, const struct order *order, instant now) {
    bool elsewhere = !text_equal(order->reference, offer->reference);
    return elsewhere && order_is_open(order, now) ? refuse_offer(REFUSED_MERCHANT_ANSWER) : answer_from(order, now);
}

static struct offer_plan judge_known(const struct offer *offer, const struct offered_order *there, instant now) {
    const struct order *order = &there->order;
    if (order->origin != ORIGIN_EXTERNAL) {
        return judge_own(offer, order, now);
    }
    if (order_payable(order, now) != GRANTED) {
        return answer_from(order, now);
    }
    if (!text_equal(order->currency, offer->currency)) {
        return refuse_offer(REFUSED_MERCHANT_ANSWER);
    }
    if (is_unchanged(offer, there)) {
        return answer_from(order, now);
    }
    return (struct offer_plan){.act = OFFER_REFRESH, .order = order};
}

struct offer_plan offer_judge(const struct offer *offer, const struct offer_scene *scene) {
    const struct order *same = scene->same_number.exists ? &scene->same_number.order : NULL;
    const struct order *open = scene->same_reference.exists ? &scene->same_reference.order : NULL;
    bool in_the_way = open != NULL && (same == NULL || same->id != open->id);
    if (offer->due_at <= scene->now) {
        return refuse_offer(REFUSED_EXPIRED);
    }
    if (in_the_way && !may_end(offer, open, scene->now)) {
        return answer_from(open, scene->now);
    }
    struct offer_plan plan = {.act = OFFER_INSERT};
    if (same != NULL) {
        plan = judge_known(offer, &scene->same_number, scene->now);
    }
    if (in_the_way && plan.refusal == GRANTED) {
        plan.ends = open;
    }
    return plan;
}

struct text offer_conflict(const struct offer *offer, const struct offer_scene *scene, struct arena *arena) {
    const struct order *order = &scene->same_number.order;
    return order->origin == ORIGIN_EXTERNAL
               ? arena_print(arena, "is in %.*s, this integration in %.*s", TEXT_ARGS(order->currency),
                             TEXT_ARGS(offer->currency))
               : arena_print(arena, "was registered or imported and keeps reference %.*s", TEXT_ARGS(order->reference));
}

struct order offer_as_order(const struct offer *offer) {
    return (struct order){.state = ORDER_PENDIENTE,
                          .origin = ORIGIN_EXTERNAL,
                          .reference = offer->reference,
                          .amount = offer->amount,
                          .has_limits = offer->has_limits,
                          .least = offer->least,
                          .most = offer->most,
                          .currency = offer->currency,
                          .description = offer->description,
                          .document = offer->document,
                          .document_type = offer->document_type,
                          .due_at = offer->due_at,
                          .merchant_id = offer->merchant_id};
}
