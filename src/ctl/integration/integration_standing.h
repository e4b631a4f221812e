/* Whether a lookup would accept a merchant's valid answer, given the orders stored at this moment. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_STANDING_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_STANDING_H

#include "ctl/core/command.h"
#include "domain/external/integration.h"
#include "domain/external/offer.h"

/* Connects to the database. If a lookup would not ask the merchant, or not reply with the offered order, says why in
 * one line and returns OUTCOME_REFUSED. An offer without a number (po_id empty) has the reference and the merchant
 * alone: nothing was offered. */
enum outcome integration_standing(struct context *context, const struct integration *integration,
                                  const struct offer *offer);

#endif
