/*
 * Rules for what merchants may do with purchase orders: register, change, delete, refund (doc/protocol.md, "Merchant
 * orders"). Pure: the caller passes the stored order, the time, and the country's properties.
 */
#ifndef RECAUDO_DOMAIN_PORDER_H
#define RECAUDO_DOMAIN_PORDER_H

#include "domain/order.h"

/* An order may expire at most this many days after today, which is the later of the country's date and the date in
 * UTC. */
enum { PORDER_DAYS_AHEAD = 31 };

/* A request to register or change an order, as received. Absent optional fields are empty. */
struct porder_request {
    struct text merchant, email, country, order, money, amount, expiration, checksum;
    struct text description, reference, method, language, recurrent, vat, redirect_timeout; /* vat: the field `iva` */
    struct text document, document_type, customer_name; /* user_di, user_type_di, user_name */
};

/* A shop plugin's request for its settings. */
struct plugin_keys {
    struct text number, order, status, merchant, checksum; /* Pv_po_id, Po_id, Status, MerName, Checksum */
};

/* A request to consult or delete an order. */
struct porder_query {
    struct text merchant, order, checksum;
};

struct porder_refund {
    struct text merchant, order, amount, reason, checksum;
};

/* Reads DD/MM/YYYY. *day is that day's 00:00 as a local time (base/zone/zone.h). False: another form, or no such day.
 */
MUST_USE bool porder_parse_expiration(struct text text, instant *day);

/* Judges currency and amount of a request for a country with this currency. Returns GRANTED with *amount set,
 * REFUSED_CURRENCY_IN_COUNTRY or _AMOUNT. */
enum refusal porder_judge_terms(const struct porder_request *request, struct text country_currency,
                                struct money *amount);

/*
 * The earliest time at which an order that expires on `day` (see porder_parse_expiration) may be registered.
 * `first_day_begins` (UTC) is when the day PORDER_DAYS_AHEAD days earlier begins in the country. Clients compute "one
 * month from now" in UTC, where in the American evening the next day has begun, so the date in UTC counts too.
 */
instant porder_earliest(instant day, instant first_day_begins);

/* Judges whether an order that expires at `due_at` may be registered at `now`: not before `earliest` and not after
 * `due_at`. Returns GRANTED or REFUSED_EXPIRATION_RANGE. */
enum refusal porder_judge_due(instant earliest, instant due_at, instant now);

/* The first and the last day on which an order may expire (see porder_parse_expiration). */
struct porder_days {
    instant first, last;
};

/* Computes both for the time `now` (UTC), which is `local` in the country. */
struct porder_days porder_days_at(instant local, instant now);

/*
 * Judges whether the merchant may change or delete the order. The SQL function order_cancel (sql/foundation.sql)
 * applies the same rule when it writes; tests/store/order/test_porders.c checks that they agree.
 *
 * GRANTED.
 * REFUSED_TRY_AGAIN: the order is in doubt (struct order).
 * REFUSED_ORDER_NOT_PENDING: the order is held, or its state at `now` is not PENDIENTE.
 */
enum refusal porder_judge_change(const struct order *order, instant now);

/*
 * Judges whether the merchant may refund the order. `paid` is the amount that the customer paid, `written` the amount
 * of the request as text. The SQL function order_refund (sql/foundation.sql), the only place that writes ANULADA, for
 * refunds and for claims, checks the state again; tests/store/order/test_porders.c checks that they agree.
 *
 * GRANTED.
 * REFUSED_ORDER_NOT_PENDING: the order is not paid, or has been refunded.
 * REFUSED_AMOUNT: `written` is not the whole amount paid, or has more decimals than the currency.
 * REFUSED_TRY_AGAIN: the window has closed, but neither approval nor cancellation is stored yet.
 */
enum refusal porder_judge_refund(const struct order *order, struct money paid, struct text written, instant now);

#endif
