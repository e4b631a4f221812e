/* recaudoctl integration test. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_TEST_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_TEST_H

#include "ctl/core/command.h"

/* Asks the merchant once, and shows the request, the answer, and every rule that it keeps or breaks. */
enum outcome integration_test(struct context *context);

#endif
