/* Whether a lookup would get a merchant's valid answer, with the orders that are stored at this moment. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_STANDING_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_STANDING_H

#include "ctl/core/command.h"
#include "domain/external/integration.h"
#include "domain/external/offer.h"

/* Connects to the database. Says in one line why a lookup would not be answered with the offered order; then the
 * outcome is OUTCOME_REFUSED. */
enum outcome integration_standing(struct context *context, const struct integration *integration,
                                  const struct offer *offer);

#endif
