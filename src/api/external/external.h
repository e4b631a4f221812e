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
    EXTERNAL_ORDER,   /* *order is the order to reply with */
    EXTERNAL_STORED   /* another lookup asked and stored the answer; read and judge the stored rows */
};

/*
 * Asks the merchant, or waits for another lookup that asks the same, and stores the answer as an order. Takes up to the
 * query's time-out; the caller must hold no database connection. The texts of the order are in the call's arena.
 */
enum external_result external_ask(struct call *call, const struct external_lookup *external, enum refusal *refusal,
                                  struct order *order);

#endif
