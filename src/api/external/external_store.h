/* Stores the result of an external query: its record, and the order that the merchant offered. */
#ifndef RECAUDO_API_EXTERNAL_EXTERNAL_STORE_H
#define RECAUDO_API_EXTERNAL_EXTERNAL_STORE_H

#include "api/external/external.h"
#include "outbound/external_query.h"

/*
 * Records the query. An answer that grants (*refusal is GRANTED) is judged among the orders that are there and
 * stored with the record: afterwards *order is what to answer from, or *refusal says why there is none.
 */
void external_store(struct call *call, const struct external_lookup *external, const struct query_result *result,
                    enum refusal *refusal, struct order *order);

#endif
