/*
 * What merchants do to their orders, each one guarded update: STATUS_CHANGED says that the order is no longer as it was
 * judged, so that it is to be read and judged again. The event log names the actor.
 */
#ifndef RECAUDO_STORE_ORDER_PORDER_CHANGES_H
#define RECAUDO_STORE_ORDER_PORDER_CHANGES_H

#include "store/order/porders.h"

/* New terms for an order that is PENDIENTE, not overdue and not held; what they leave empty stays. STATUS_CLASH:
 * another open order has the reference. */
enum status porder_changes_terms(struct connection *connection, uint64_t id, const struct porder_terms *terms,
                                 struct text actor);

/* PENDIENTE, not overdue and not held -> CANCELADA. */
enum status porder_changes_delete(struct connection *connection, uint64_t id, uint64_t version, struct text actor);

/* APROBADA -> ANULADA. `reason` may be empty. */
enum status porder_changes_refund(struct connection *connection, uint64_t id, struct text reason, struct text actor);

#endif
