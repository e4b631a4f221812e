/* References that merchants answer themselves, in external queries. An order of another merchant must not use one
 * (doc/protocol.md, "Merchant orders"). */
#ifndef RECAUDO_CTL_ORDER_ANSWERED_H
#define RECAUDO_CTL_ORDER_ANSWERED_H

#include "ctl/core/command.h"
#include "domain/external/integration.h"

struct answered {
    struct integration *integrations; /* in the arena, sorted */
    size_t count;
};

/* Why an order with such a reference is refused. */
extern const char answered_complaint[];

/* Reads the integrations in force. Any other outcome than OUTCOME_DONE has been reported. */
enum outcome answered_read(const struct context *context, struct answered *out);

/* Whether a merchant other than `merchant_id` (0: any merchant) answers the reference. */
bool answered_by_another(const struct answered *answered, struct text reference, uint64_t merchant_id);

/* Returns the integration with the longest code that answers the reference, whichever network asks. All that answer it
 * are of one merchant. NULL: none. */
const struct integration *answered_find(const struct answered *answered, struct text reference);

#endif
