/*
 * Cancellation windows that have closed (doc/protocol.md, "Transactions"): CONFIRMADA -> FINALIZADA, and in the same database
 * transaction the order PENDIENTE -> APROBADA with its notification, or the account credited through its ledger. Functions of the
 * schema's owner judge and write; the accounts that call them have no right to write any of these columns.
 */
#ifndef RECAUDO_STORE_WINDOWS_H
#define RECAUDO_STORE_WINDOWS_H

#include "store/connection.h"

/* Finalises up to `batch` payments of orders whose window has closed, those first that closed first. Safe side by side. */
enum status windows_finalise_orders(struct connection *connection, uint64_t batch, uint64_t *finalised);

/* The same for top-ups. */
enum status windows_finalise_top_ups(struct connection *connection, uint64_t batch, uint64_t *finalised);

/* One order, for whoever needs its state to be written now; STATUS_NONE: no window of it has closed that is not written yet. */
enum status windows_finalise_order(struct connection *connection, uint64_t order_id, struct text actor);

#endif
