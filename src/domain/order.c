#include "domain/order.h"

static const char *const STATES[] = {[ORDER_PENDIENTE] = "PENDIENTE",
                                     [ORDER_APROBADA] = "APROBADA",
                                     [ORDER_VENCIDA] = "VENCIDA",
                                     [ORDER_CANCELADA] = "CANCELADA",
                                     [ORDER_ANULADA] = "ANULADA"};

/* Whether an order in this state can be paid, and why not. */
static const enum refusal CLOSED[] = {[ORDER_PENDIENTE] = GRANTED,
                                      [ORDER_APROBADA] = REFUSED_PAID,
                                      [ORDER_VENCIDA] = REFUSED_EXPIRED,
                                      [ORDER_CANCELADA] = REFUSED_DELETED,
                                      [ORDER_ANULADA] = REFUSED_REFUNDED};

static const char *const ORIGINS[] = {
    [ORIGIN_REGISTERED] = "registered", [ORIGIN_IMPORTED] = "imported", [ORIGIN_EXTERNAL] = "external"};

const char *order_state_name(enum order_state state) {
    return STATES[state];
}

TEXT_DEFINE_PARSE(order_state_parse, enum order_state, STATES);

TEXT_DEFINE_PARSE(order_origin_parse, enum order_origin, ORIGINS);

bool order_number_is_valid(struct text number) {
    for (size_t i = 0; i < number.size; i++) {
        if (!text_is_letter_or_digit(number.at[i]) && number.at[i] != '_' && number.at[i] != '-') {
            return false;
        }
    }
    return number.size >= 1 && number.size <= ORDER_NUMBER_MAX;
}

bool order_email_is_valid(struct text email) {
    const char *at = email.size == 0 ? NULL : memchr(email.at, '@', email.size);
    const char *end = email.at + email.size;
    return at != NULL && at > email.at && at + 1 < end && memchr(at + 1, '@', (size_t)(end - at) - 1) == NULL &&
           memchr(email.at, ' ', email.size) == NULL;
}

enum refusal order_payable(const struct order *order, instant now) {
    if (order->state != ORDER_PENDIENTE) {
        return CLOSED[order->state];
    }
    if (order->held_by != 0 || order->in_doubt) {
        return REFUSED_HELD;
    }
    return now < order->due_at ? GRANTED : REFUSED_EXPIRED;
}

enum refusal order_judge(const struct order *order, instant now) {
    enum refusal refusal = order_payable(order, now);
    return refusal == GRANTED && !order->merchant_enabled ? REFUSED_NOT_AUTHORISED : refusal;
}

bool order_is_overdue(const struct order *order, instant now) {
    return order->state == ORDER_PENDIENTE && order_payable(order, now) == REFUSED_EXPIRED;
}

instant order_last_moment(instant due) {
    return due % DAY == 0 ? due - MINUTE : due;
}

enum order_state order_state_at(const struct order *order, instant now) {
    return order_payable(order, now) == REFUSED_EXPIRED ? ORDER_VENCIDA : order->state;
}

bool order_window_closed(const struct order *order, instant now) {
    return order->state == ORDER_PENDIENTE && order->held_by != 0 && order->held_until <= now;
}

bool order_is_open(const struct order *order, instant now) {
    enum refusal refusal = order_payable(order, now);
    return refusal == GRANTED || refusal == REFUSED_HELD;
}

enum refusal order_judge_amount(const struct order *order, struct money amount) {
    bool fits;
    if (!money_is_zero(order->amount)) {
        fits = money_equal(amount, order->amount);
    } else if (order->has_limits) {
        fits = !money_is_zero(amount) && amount.units >= order->least.units && amount.units <= order->most.units;
    } else {
        fits = !money_is_zero(amount);
    }
    return fits ? GRANTED : REFUSED_AMOUNT;
}

struct text order_slip_address(const char *base, struct text token, struct arena *arena) {
    return token.size == 0 ? TEXT("") : arena_print(arena, "%s/pay?token=%.*s", base, TEXT_ARGS(token));
}
