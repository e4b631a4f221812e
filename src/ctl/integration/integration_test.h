/* recaudoctl integration test. */
#ifndef RECAUDO_CTL_INTEGRATION_INTEGRATION_TEST_H
#define RECAUDO_CTL_INTEGRATION_INTEGRATION_TEST_H

#include "ctl/core/command.h"

/* Queries the merchant once. Shows the request, the answer, and each rule that the answer keeps or breaks. */
enum outcome integration_test(struct context *context);

#endif
