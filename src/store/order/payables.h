/*
 * Finds what a reference stands for: one round trip for an open order, a second if there is none that was registered or
 * imported, a third to find out why nothing can be paid. The order comes without its merchant's name and state
 * (api/worker/commerces.h).
 */
#ifndef RECAUDO_STORE_ORDER_PAYABLES_H
#define RECAUDO_STORE_ORDER_PAYABLES_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "store/db/connection.h"

/* Finds what can be paid at this moment: an order that is PENDIENTE, an account, or nothing (then both has_... are
 * false). If there is an open order that was registered or imported, no account is looked up, because the order takes
 * precedence. */
enum status payables_find(struct connection *connection, struct text reference, struct arena *arena,
                          struct payable *out);

/* Completes the result of payables_find: if it is nothing, adds the latest order with the reference. */
enum status payables_find_closed(struct connection *connection, struct text reference, struct arena *arena,
                                 struct payable *out);

/*
 * Sets payable->is_others_offer, if the order is open and came by an external query. Read the payable first.
 */
enum status payables_note_offer(struct connection *connection, uint64_t network_id, struct payable *payable);

/* Does both, and in the first round trip also finds the network's transaction with this id. *has_transaction: it
 * exists. */
enum status payables_find_for(struct connection *connection, struct text reference, uint64_t network_id,
                              struct text network_transaction, struct arena *arena, struct payable *out,
                              bool *has_transaction, struct transaction *transaction);

#endif
