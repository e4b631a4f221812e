/* Lookups that a merchant answers (doc/protocol.md, "External query"). */
#ifndef RECAUDO_API_EXTERNAL_EXTERNAL_H
#define RECAUDO_API_EXTERNAL_EXTERNAL_H

#include "api/worker/call.h"
#include "domain/external/integration.h"
#include "wire/messages.h"

struct external_lookup {
    const struct lookup *lookup;
    uint64_t network_id;
    instant now; /* by the database's clock */
    const struct integration *integration;
};

enum external_result {
    EXTERNAL_REFUSED, /* *refusal says why */
    EXTERNAL_ORDER,   /* *order is what the reference stands for */
    EXTERNAL_STORED   /* another lookup has asked: find and judge what is stored */
};

/*
 * Asks the merchant, or waits for another lookup that asks the same; keeps its answer as an order. May take as long as
 * a query may; the caller holds no database connection. Texts of the order lie in the call's arena.
 */
enum external_result external_ask(struct call *call, const struct external_lookup *external, enum refusal *refusal,
                                  struct order *order);

#endif
