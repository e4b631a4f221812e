#include "domain/transaction.h"

#include "domain/currency.h"

static const char *const STATES[] = {[TRANSACTION_REGISTRADA] = "REGISTRADA",
                                     [TRANSACTION_CONFIRMADA] = "CONFIRMADA",
                                     [TRANSACTION_FINALIZADA] = "FINALIZADA",
                                     [TRANSACTION_CANCELADA] = "CANCELADA"};

const char *transaction_state_name(enum transaction_state state) {
    return STATES[state];
}

TEXT_DEFINE_PARSE(transaction_state_parse, enum transaction_state, STATES);

static enum refusal account_judge_amount(struct money room, struct money amount) {
    return amount.units > room.units ? REFUSED_ACCOUNT_FULL : GRANTED;
}

enum refusal registration_judge_request(const struct registration *registration) {
    bool may_be = !money_is_zero(registration->value) && currency_allows(registration->money, registration->amount);
    return may_be ? GRANTED : REFUSED_AMOUNT;
}

/* Applies the amount rule and the currency's decimals. An account takes any amount above 0 for which it has room. */
static enum refusal judge_amount(const struct registration *registration, const struct payable *payable,
                                 enum payable_kind kind) {
    struct text currency = kind == PAYABLE_ORDER ? payable->order.currency : payable->account.currency;
    if (!currency_allows(currency, registration->amount)) {
        return REFUSED_AMOUNT;
    }
    if (kind == PAYABLE_ORDER) {
        return order_judge_amount(&payable->order, registration->value);
    }
    if (money_is_zero(registration->value)) {
        return REFUSED_AMOUNT;
    }
    return account_judge_amount(payable->account.room, registration->value);
}

enum refusal registration_judge(const struct registration *registration, const struct payable *payable,
                                struct text service_name) {
    enum refusal refusal;
    enum payable_kind kind = payable_resolve(payable, &refusal);
    if (refusal != GRANTED) {
        return refusal;
    }
    struct text commerce = kind == PAYABLE_ORDER ? payable->order.commerce : service_name;
    struct text currency = kind == PAYABLE_ORDER ? payable->order.currency : payable->account.currency;
    if (!text_equal_any_case(registration->commerce, commerce)) {
        return REFUSED_OTHER_COMMERCE;
    }
    if (!text_equal(registration->money, currency)) {
        return REFUSED_CURRENCY;
    }
    return judge_amount(registration, payable, kind);
}

static enum refusal judge_first_confirm(const struct transaction *transaction, const struct paid_thing *paid,
                                        instant now) {
    const struct order *order = paid->order;
    if (order == NULL) {
        return account_judge_amount(paid->room, transaction->amount);
    }
    enum refusal refusal = order_payable(order, now);
    if (refusal == GRANTED && !text_equal(transaction->currency, order->currency)) {
        return REFUSED_CURRENCY;
    }
    return refusal == GRANTED ? order_judge_amount(order, transaction->amount) : refusal;
}

enum refusal confirmation_judge(bool confirm, const struct transaction *transaction, const struct paid_thing *paid,
                                instant now, enum confirmation_act *act) {
    enum refusal refusal = GRANTED;
    *act = CONFIRMATION_STANDS;
    switch (transaction->state) {
    case TRANSACTION_REGISTRADA:
        *act = confirm ? CONFIRMATION_CONFIRM : CONFIRMATION_CANCEL;
        return confirm ? judge_first_confirm(transaction, paid, now) : GRANTED;
    case TRANSACTION_CONFIRMADA:
        if (!confirm && now < transaction->window_ends_at) {
            *act = CONFIRMATION_CANCEL;
        } else if (!confirm) {
            refusal = REFUSED_WINDOW_CLOSED;
        }
        return refusal;
    case TRANSACTION_FINALIZADA:
        return confirm ? GRANTED : REFUSED_WINDOW_CLOSED;
    case TRANSACTION_CANCELADA:
        return confirm ? REFUSED_TRANSACTION_CANCELLED : GRANTED;
    }
    return refusal;
}
