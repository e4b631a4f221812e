/* Orders that merchants offer in their answers to external queries (domain/external/offer.h). */
#ifndef RECAUDO_STORE_EXTERNAL_OFFERS_H
#define RECAUDO_STORE_EXTERNAL_OFFERS_H

#include "base/arena.h"
#include "domain/external/offer.h"
#include "store/db/connection.h"
#include "store/external/queries.h"

/* What stands in the way of the offer at this moment, or is the offered order already. */
enum status offers_find(struct connection *connection, const struct offer *offer, struct arena *arena,
                        struct offer_scene *out);

/*
 * Writes what was planned, for use within a transaction. STATUS_CHANGED: an order has changed since it was read, or the
 * offer is due; STATUS_CLASH: others wrote the same order or took the reference. Then roll back, find and judge again.
 * *order_id: the order that the answer stands for; 0: none.
 */
enum status offers_write(struct connection *connection, const struct offer *offer, const struct offer_plan *plan,
                         struct text actor, uint64_t *order_id);

/*
 * The same in one transaction with the query's record, which gets that order's id, and with the note that the order was
 * offered to the record's network. What is not needed is not written.
 */
enum status offers_store(struct connection *connection, const struct offer *offer, const struct offer_plan *plan,
                         struct text actor, const struct query_record *record);

#endif
