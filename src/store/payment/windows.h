/*
 * Finalises payments whose cancellation window has closed (doc/protocol.md, "Transactions"): CONFIRMADA -> FINALIZADA
 * and, in the same database transaction, either the order PENDIENTE -> APROBADA with its notification, or the account
 * credited through its ledger. Functions of the schema's owner judge and write; the accounts that call them may not
 * write any of these columns.
 */
#ifndef RECAUDO_STORE_PAYMENT_WINDOWS_H
#define RECAUDO_STORE_PAYMENT_WINDOWS_H

#include "store/db/routine.h"

/* Finalises up to `batch` payments of orders whose window has closed, oldest window first. Safe to run in several
 * processes. */
enum status windows_finalise_orders(struct connection *connection, uint64_t batch, uint64_t *finalised);

/* The same for top-ups. */
enum status windows_finalise_top_ups(struct connection *connection, uint64_t batch, uint64_t *finalised);

/* Finalise up to `most` payments of orders, or top-ups, one by one, as a step of a walk that the caller repeats
 * (routine_run_each). */
enum status windows_finalise_each_order(struct connection *connection, uint64_t most, struct routine_walk *walk);
enum status windows_finalise_each_top_up(struct connection *connection, uint64_t most, struct routine_walk *walk);

/*
 * Finalises the payment that holds one order, through the owner's order_finalise: the account needs only EXECUTE. Does
 * not wait for locks, because its callers can reply correctly even if the approval cannot be written now.
 * STATUS_OK: the approval is written.
 * STATUS_CHANGED: the order is not held, or its window has not closed; read it again.
 * STATUS_AGAIN: a cancellation or the dispatcher has the order locked, or the server is read only.
 */
enum status windows_finalise_order(struct connection *connection, uint64_t order_id, struct text actor);

/* The same for one top-up. STATUS_CHANGED: it is not confirmed, its window has not closed, or its account is full. */
enum status windows_finalise_top_up(struct connection *connection, uint64_t transaction_id, struct text actor);

#endif
