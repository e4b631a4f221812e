/* Orders that merchants offer in their answers to external queries (domain/external/offer.h). */
#ifndef RECAUDO_STORE_EXTERNAL_OFFERS_H
#define RECAUDO_STORE_EXTERNAL_OFFERS_H

#include "base/arena.h"
#include "domain/external/offer.h"
#include "store/db/connection.h"
#include "store/external/queries.h"

/* Finds the orders that prevent the offer at this moment, or are the offered order already. */
enum status offers_find(struct connection *connection, const struct offer *offer, struct arena *arena,
                        struct offer_scene *out);

/*
 * For tests: writes the plan, within a transaction. *order_id: the order for which the answer stands; 0: none.
 * STATUS_CHANGED: an order has changed since it was read, or the offer is overdue.
 * STATUS_CLASH: another transaction wrote the same order or took the reference.
 * After either, roll back, find and judge again.
 */
enum status offers_write(struct connection *connection, const struct offer *offer, const struct offer_plan *plan,
                         struct text actor, uint64_t *order_id);

/* The same, and in one transaction with it the query's record, with that order's id, and the note that the order was
 * offered to the record's network. Writes only what is needed. */
enum status offers_store(struct connection *connection, const struct offer *offer, const struct offer_plan *plan,
                         struct text actor, const struct query_record *record);

/* *out: the names of the networks to which the order was offered, with ", " between them, in the arena; "" for none. */
enum status offers_list_networks(struct connection *connection, uint64_t order_id, struct arena *arena,
                                 struct text *out);

#endif
