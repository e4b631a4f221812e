/* The integration that a command names by its ID. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_FIND_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_FIND_H

#include "ctl/core/command.h"
#include "store/external/integrations.h"

/* Refused when there is none. */
enum outcome integration_find(const struct context *context, struct integration_row *out);

/* Says that the integration was removed, and refuses. */
enum outcome integration_refuse_removed(const struct context *context, uint64_t id);

/* Refused also when it was removed. */
enum outcome integration_find_in_force(const struct context *context, struct integration_row *out);

#endif
