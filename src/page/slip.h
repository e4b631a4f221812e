/*
 * The payment slip: what a customer needs at the counter, and the current state of the order (doc/protocol.md, "The
 * payment slip").
 */
#ifndef RECAUDO_PAGE_SLIP_H
#define RECAUDO_PAGE_SLIP_H

#include "base/arena.h"
#include "domain/order.h"
#include "page/wording.h"

struct slip_view {
    const struct order *order; /* with its merchant's name */
    struct text po_id;
    enum refusal payable; /* GRANTED: it can be paid now; otherwise why not (page/wording.h) */
    struct money paid;    /* amount of the payment that holds or paid it; 0: none */
    enum language language;
    uint64_t country;
    struct text time_zone;
    instant due, now; /* local times of that zone (base/zone/zone.h) */
};

/* Returns the page. It shows barcode and QR code, and offers the reference for payment, only while the order is
 * payable.
 */
struct text slip_page(const struct slip_view *view, struct arena *arena);

#endif
