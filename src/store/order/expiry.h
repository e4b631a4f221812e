/* Expires overdue orders: PENDIENTE -> VENCIDA and the `cancelled` notification, in one database transaction. Never a
 * held order, never early. A function of the schema's owner judges and writes. */
#ifndef RECAUDO_STORE_ORDER_EXPIRY_H
#define RECAUDO_STORE_ORDER_EXPIRY_H

#include "store/db/routine.h"

/* Expires up to `batch` orders, oldest due date first. Safe to run in several processes. */
enum status expiry_run(struct connection *connection, uint64_t batch, uint64_t *expired);

/* Expires up to `most` orders one by one, as a step of a walk that the caller repeats (routine_run_each). */
enum status expiry_run_each(struct connection *connection, uint64_t most, struct routine_walk *walk);

/*
 * Checks whether an order that was read as overdue still is. A confirmation that came in time, or a later due date, may
 * not be committed yet, and a read without a lock does not see it. Does not wait.
 * STATUS_OK: it is overdue and not held, and nobody is changing it.
 * STATUS_CHANGED: it is held, closed or due later; read it again.
 * STATUS_AGAIN: somebody has it locked.
 */
enum status expiry_look(struct connection *connection, uint64_t order_id);

/* Reads how long from now, by the database's clock, until a window closes or an order falls due: 0 if that has happened
 * already, `longest` at most. */
enum status expiry_next_work(struct connection *connection, duration longest, duration *out);

#endif
