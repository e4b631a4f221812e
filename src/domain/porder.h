/*
 * What merchants may do with their purchase orders: register, change, delete, refund (doc/protocol.md, "Merchant
 * orders"). Pure: the caller brings the order as stored, the time, and what the country says.
 */
#ifndef RECAUDO_DOMAIN_PORDER_H
#define RECAUDO_DOMAIN_PORDER_H

#include "domain/order.h"

/* The furthest day an order may expire on, counted from today: the later of the country's date and that of UTC. */
enum { PORDER_DAYS_AHEAD = 31 };

/* A request to register or change an order, as received. Fields that may be absent are empty when they are. */
struct porder_request {
    struct text merchant, email, country, order, money, amount, expiration, checksum;
    struct text description, reference, method, language, recurrent, vat, redirect_timeout; /* vat: the field `iva` */
    struct text document, document_type, customer_name; /* user_di, user_type_di, user_name */
};

/* A shop plugin's request for its settings. */
struct plugin_keys {
    struct text number, order, status, merchant, checksum; /* Pv_po_id, Po_id, Status, MerName, Checksum */
};

/* A request to consult or delete one. */
struct porder_query {
    struct text merchant, order, checksum;
};

struct porder_refund {
    struct text merchant, order, amount, reason, checksum;
};

/* DD/MM/YYYY: the reading of that day's first moment, as base/zone/zone.h has it. False: not of this form, or no such
 * day.
 */
MUST_USE bool porder_parse_expiration(struct text text, instant *day);

/* Are currency and amount of the request good in a country with this currency? GRANTED, _CURRENCY_IN_COUNTRY,
 * _AMOUNT. */
enum refusal porder_judge_terms(const struct porder_request *request, struct text country_currency,
                                struct money *amount);

/*
 * The first moment at which an order may be registered whose last day is `day`, as porder_parse_expiration has it;
 * `first_day_begins` (UTC) is when the day PORDER_DAYS_AHEAD before it begins in the country. Clients compute "one
 * month from now" by UTC, whose date is a day ahead in the American evening: so that date counts too.
 */
instant porder_earliest(instant day, instant first_day_begins);

/* From when on, and until when, an order may be registered that ends at `due_at`: GRANTED or _EXPIRATION_RANGE. */
enum refusal porder_judge_due(instant earliest, instant due_at, instant now);

/* The days that an expiration may have, as porder_parse_expiration has a day. */
struct porder_days {
    instant first, last;
};

/* Those at `now` (UTC), at which the clocks of the country read `local`. */
struct porder_days porder_days_at(instant local, instant now);

/*
 * May the merchant change or delete the order now? The SQL function order_cancel judges the same when it writes
 * (sql/foundation.sql); tests/store/order/test_porders.c holds the two equal.
 * GRANTED, or _ORDER_NOT_PENDING: another state by the clock, or held.
 */
enum refusal porder_judge_change(const struct order *order, instant now);

/*
 * May the merchant refund the order? Refunds and claims write ANULADA in one place, the SQL function order_refund
 * (sql/foundation.sql), which judges the state once more; tests/store/order/test_porders.c holds the two equal. `paid`
 * is what the customer paid, `written` the amount of the request as text.
 *
 * GRANTED.
 * REFUSED_ORDER_NOT_PENDING: it is not paid, or refunded already.
 * REFUSED_AMOUNT: not the whole amount paid, or written with more decimals than its currency has.
 * REFUSED_TRY_AGAIN: the window has closed, but neither approval nor cancellation is written yet.
 */
enum refusal porder_judge_refund(const struct order *order, struct money paid, struct text written, instant now);

#endif
