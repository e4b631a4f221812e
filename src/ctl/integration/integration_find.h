/* Finds an integration by its ID. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_FIND_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_FIND_H

#include "ctl/core/command.h"
#include "store/external/integrations.h"

/* Finds the one with the id `word`, also if it was removed. Refused if it does not exist. */
enum outcome integration_find(const struct context *context, struct text word, struct integration_row *out);

/* Refuses, saying that the integration was removed. */
enum outcome integration_refuse_removed(const struct context *context, uint64_t id);

/* Finds the one that the command's first word names. Refused if it does not exist or was removed. */
enum outcome integration_find_in_force(const struct context *context, struct integration_row *out);

#endif
