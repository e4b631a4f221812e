/* References that merchants answer themselves, in external queries: an order of another merchant may have none of them
 * (doc/protocol.md, "Merchant orders"). */
#ifndef RECAUDO_CTL_ORDER_ANSWERED_H
#define RECAUDO_CTL_ORDER_ANSWERED_H

#include "ctl/core/command.h"
#include "domain/external/integration.h"

struct answered {
    struct integration *integrations; /* the arena's, sorted */
    size_t count;
};

/* Why an order with such a reference is refused. */
extern const char answered_complaint[];

/* The integrations that are in force. Not OUTCOME_DONE: it has said why they cannot be read. */
enum outcome answered_read(const struct context *context, struct answered *out);

/* Whether another merchant than `merchant_id` (0: any) answers for the reference. */
bool answered_by_another(const struct answered *answered, struct text reference, uint64_t merchant_id);

#endif
