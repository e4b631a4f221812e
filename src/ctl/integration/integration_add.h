/* recaudoctl integration add. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_ADD_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_ADD_H

#include "ctl/core/command.h"

/* Checks the options and stores the integration. */
enum outcome integration_add(const struct context *context, uint64_t *id);

#endif
