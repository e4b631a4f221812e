/* Orders, and whether one can be paid at a given moment (specification, "States and transitions"). */
#ifndef RECAUDO_DOMAIN_ORDER_H
#define RECAUDO_DOMAIN_ORDER_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"
#include "domain/refusal.h"

enum order_state { ORDER_PENDIENTE, ORDER_APROBADA, ORDER_VENCIDA, ORDER_CANCELADA, ORDER_ANULADA };

enum order_origin { ORIGIN_REGISTERED, ORIGIN_IMPORTED, ORIGIN_EXTERNAL };

enum { ORDER_NUMBER_MAX = 200 };

struct order {
    uint64_t id; /* pv_po_id */
    uint64_t version;
    enum order_state state; /* as stored; order_payable says whether it can be paid */
    enum order_origin origin;
    struct text reference;
    struct money amount; /* 0: open */
    bool has_limits;
    struct money least, most; /* of an open order with limits */
    struct text currency;
    struct text description;
    struct text document, document_type; /* may be empty */
    instant due_at;
    uint64_t held_by; /* transaction in its cancellation window; 0: none */
    instant held_until;
    bool in_doubt; /* overdue and not held, but a change of it is on its way: it may be held, or due later */
    uint64_t merchant_id;
    /* From the merchant's row: its name as networks see it, and whether it is enabled. */
    struct text commerce;
    bool merchant_enabled;
};

/* The words of the specification, "PENDIENTE" and so on. */
const char *order_state_name(enum order_state state);
MUST_USE bool order_state_parse(struct text name, enum order_state *out);

MUST_USE bool order_origin_parse(struct text name, enum order_origin *out);

/* The order number of the merchant's system: ^[a-zA-Z0-9_-]{1,200}$. */
bool order_number_is_valid(struct text number);

/* True for NAME@HOST, with one @ and without spaces. Whether somebody reads it there, only a message would show. */
bool order_email_is_valid(struct text email);

/*
 * Judges whether a payment of this order can be confirmed at `now`. The clock can refuse a payment: an order past its
 * due date is expired even if that is not stored yet. The clock never asserts a payment: after its window an order
 * stays held until the approval is stored, because a cancellation that began inside the window may still commit. For
 * the same reason an order in doubt counts as held.
 * Returns GRANTED, REFUSED_PAID, _EXPIRED, _DELETED, _REFUNDED or _HELD.
 */
enum refusal order_payable(const struct order *order, instant now);

/* As order_payable, and REFUSED_NOT_AUTHORISED if it can be paid and its merchant is disabled. */
enum refusal order_judge(const struct order *order, instant now);

/* True if the order is past its due date but stored as PENDIENTE, and is neither held nor in doubt. */
bool order_is_overdue(const struct order *order, instant now);

/* Returns the moment that people are shown for a due date; both are local times. An order that is due at the end of a
 * day expires at the next midnight, which people would read as a day later: it says 23:59. */
instant order_last_moment(instant due);

/*
 * The state at `now`: the stored one, or VENCIDA after the due date. The view orders_now (sql/foundation.sql) computes
 * the same in SQL, also for order_window_closed; tests/store/order/test_porders.c checks that they agree.
 */
enum order_state order_state_at(const struct order *order, instant now);

/* True if the window of the payment that holds the order has closed, but neither approval nor cancellation is stored.
 * Then finalise the order (store/payment/windows.h) and read it again before replying. An approval is written by SQL
 * only, in one place: payments_write (sql/foundation.sql). */
bool order_window_closed(const struct order *order, instant now);

/* PENDIENTE at `now`: payable or held. */
bool order_is_open(const struct order *order, instant now);

/* The amount rule: the amount due, or for an open order more than 0 and within its limits. Returns GRANTED or
 * REFUSED_AMOUNT. */
enum refusal order_judge_amount(const struct order *order, struct money amount);

/* Returns the address of the slip with this token: host/path?token=..., without a scheme. Empty without a token.
 * `base`: [worker] public_base. */
struct text order_slip_address(const char *base, struct text token, struct arena *arena);

#endif
