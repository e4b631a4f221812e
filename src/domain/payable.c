#include "domain/payable.h"

bool payable_is_offer(const struct payable *payable) {
    const struct order *order = &payable->order;
    return payable->has_order && order->origin == ORIGIN_EXTERNAL && order_is_open(order, payable->now);
}

bool payable_may_be_asked_about(const struct payable *payable) {
    const struct order *order = &payable->order;
    if (payable->has_account) {
        return false;
    }
    bool open = payable->has_order && order_is_open(order, payable->now);
    return !open || (payable_is_offer(payable) && order_payable(order, payable->now) == GRANTED);
}

enum payable_kind payable_resolve(const struct payable *payable, enum refusal *refusal) {
    const struct order *order = &payable->order;
    bool open_here = payable->has_order && order->origin != ORIGIN_EXTERNAL && order_is_open(order, payable->now);
    if (payable->has_account && !open_here) {
        *refusal = GRANTED;
        return PAYABLE_ACCOUNT;
    }
    if (payable->has_order && !payable->is_others_offer) {
        *refusal = order_judge(order, payable->now);
        return PAYABLE_ORDER;
    }
    *refusal = REFUSED_NO_SUCH_REFERENCE;
    return PAYABLE_NOTHING;
}
