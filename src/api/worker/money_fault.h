/* What is right where an amount or a currency is refused, for the reply's TEXT (doc/protocol.md, "Money"). */
#ifndef RECAUDO_API_WORKER_MONEY_FAULT_H
#define RECAUDO_API_WORKER_MONEY_FAULT_H

#include "base/arena.h"
#include "domain/money.h"
#include "domain/order.h"
#include "wire/fault.h"

/* For a currency that is not the one to pay in. */
struct fault money_fault_currency(struct text currency, struct arena *arena);

/* For an amount of which nothing but `written` and its currency is known: too many decimals, or zero. */
struct fault money_fault_written(struct text written, struct text currency, struct arena *arena);

/* For an amount that is not from `least` to `most`, which may be equal; or has too many decimals. */
struct fault money_fault_range(struct text written, struct money least, struct money most, struct text currency,
                               struct arena *arena);

/* For an amount that does not pay the order: what is due, or between which limits. */
struct fault money_fault_order(struct text written, const struct order *order, struct arena *arena);

#endif
