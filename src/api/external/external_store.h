/* Stores the result of an external query: its record, and the order that the merchant offered. */
#ifndef RECAUDO_API_EXTERNAL_EXTERNAL_STORE_H
#define RECAUDO_API_EXTERNAL_EXTERNAL_STORE_H

#include "api/external/external.h"
#include "outbound/external_query.h"

/*
 * Records the query. If the merchant's answer grants (*refusal is GRANTED), judges it against the stored orders and
 * stores it together with the record. Then either *order is the order to reply with, or *refusal says why there is
 * none.
 */
void external_store(struct call *call, const struct external_lookup *external, const struct query_result *result,
                    enum refusal *refusal, struct order *order);

#endif
