#include "domain/porder.h"

#include "domain/currency.h"
#include "domain/instant.h"

enum { DATE_SIZE = 10 };

static bool read_date_part(struct text digits, unsigned *out) {
    uint64_t number;
    bool read = text_to_number(digits, &number);
    *out = read ? (unsigned)number : 0;
    return read;
}

bool porder_parse_expiration(struct text text, instant *day) {
    struct civil civil = {0};
    if (text.size != DATE_SIZE || text.at[2] != '/' || text.at[5] != '/') {
        return false;
    }
    return read_date_part((struct text){text.at, 2}, &civil.day) &&
           read_date_part((struct text){text.at + 3, 2}, &civil.month) &&
           read_date_part((struct text){text.at + 6, 4}, &civil.year) && instant_of_civil(&civil, day);
}

enum refusal porder_judge_terms(const struct porder_request *request, struct text country_currency,
                                struct money *amount) {
    if (!text_equal(request->money, country_currency)) {
        return REFUSED_CURRENCY_IN_COUNTRY;
    }
    return currency_parse_amount(country_currency, request->amount, amount) ? GRANTED : REFUSED_AMOUNT;
}

instant porder_earliest(instant day, instant first_day_begins) {
    instant utc_day_begins = day - PORDER_DAYS_AHEAD * DAY;
    return first_day_begins < utc_day_begins ? first_day_begins : utc_day_begins;
}

enum refusal porder_judge_due(instant earliest, instant due_at, instant now) {
    return earliest <= now && now < due_at ? GRANTED : REFUSED_EXPIRATION_RANGE;
}

struct porder_days porder_days_at(instant local, instant now) {
    instant later = local > now ? local : now;
    return (struct porder_days){local - local % DAY, later - later % DAY + PORDER_DAYS_AHEAD * DAY};
}

enum refusal porder_judge_change(const struct order *order, instant now) {
    if (order->in_doubt) {
        return REFUSED_TRY_AGAIN;
    }
    return order_payable(order, now) == GRANTED ? GRANTED : REFUSED_ORDER_NOT_PENDING;
}

enum refusal porder_judge_refund(const struct order *order, struct money paid, struct text written, instant now) {
    struct money amount;
    if (order_window_closed(order, now)) {
        return REFUSED_TRY_AGAIN;
    }
    if (order->state != ORDER_APROBADA) {
        return REFUSED_ORDER_NOT_PENDING;
    }
    bool whole = currency_parse_amount(order->currency, written, &amount) && money_equal(amount, paid);
    return whole ? GRANTED : REFUSED_AMOUNT;
}
