/*
 * Finds what a reference stands for, and if nothing can be paid, in a further round trip the order that says why. An
 * order comes without its merchant's name and state (api/worker/commerces.h).
 */
#ifndef RECAUDO_STORE_ORDER_PAYABLES_H
#define RECAUDO_STORE_ORDER_PAYABLES_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "store/db/connection.h"

/* Finds what can be paid at this moment: an order that is PENDIENTE, an account, or nothing (then both has_... are
 * false). */
enum status payables_find(struct connection *connection, struct text reference, struct arena *arena,
                          struct payable *out);

/* One reference of a shared search. The memory is the caller's. */
struct payable_search {
    struct text reference;
    struct arena *arena; /* for the texts of *found */
    struct payable *found;
    /*
     * true: finds all that payables_find finds.
     * false: finds only open orders that were registered or imported. Such an order takes precedence over an account,
     * so no account is searched, and the statement costs the database a third less.
     * If it is true in one search of a call, the call sets it in all of them.
     */
    bool with_accounts;
};

/* Searches several references in one round trip. `arena` is for the statement's parameter. */
enum status payables_find_shared(struct connection *connection, struct payable_search *const searches[], size_t count,
                                 struct arena *arena);

/* Completes the result of payables_find: if it is nothing, adds the newest order with the reference. */
enum status payables_find_closed(struct connection *connection, struct text reference, struct arena *arena,
                                 struct payable *out);

/* The same for several references for which nothing was found. */
enum status payables_find_closed_shared(struct connection *connection, struct payable_search *const searches[],
                                        size_t count, struct arena *arena);

/* Sets payable->is_others_offer for this network, if the order that was read is open and came by an external query. */
enum status payables_note_offer(struct connection *connection, uint64_t network_id, struct payable *payable);

/* payables_find and payables_find_closed together; the first round trip also finds the network's transaction with
 * this id. *has_transaction: it exists; then no closed order is looked for. */
enum status payables_find_for(struct connection *connection, struct text reference, uint64_t network_id,
                              struct text network_transaction, struct arena *arena, struct payable *out,
                              bool *has_transaction, struct transaction *transaction);

#endif
