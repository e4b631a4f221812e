/* Names the valid amount or currency of a refused request, for the reply's TEXT (doc/protocol.md, "Money"). */
#ifndef RECAUDO_API_WORKER_MONEY_FAULT_H
#define RECAUDO_API_WORKER_MONEY_FAULT_H

#include "base/arena.h"
#include "domain/money.h"
#include "domain/order.h"
#include "wire/fault.h"

/* For a currency other than the one in which to pay. */
struct fault money_fault_currency(struct text currency, struct arena *arena);

/* For an amount judged only by its currency: it has too many decimals, or is zero. */
struct fault money_fault_written(struct text written, struct text currency, struct arena *arena);

/* For an amount outside the range from `least` to `most`, which may be equal, or with too many decimals. */
struct fault money_fault_range(struct text written, struct money least, struct money most, struct text currency,
                               struct arena *arena);

/* For an amount that does not pay the order: names the amount due, or its limits. */
struct fault money_fault_order(struct text written, const struct order *order, struct arena *arena);

#endif
