/* What a clock that was ahead has left behind after it was set back. */
#ifndef RECAUDO_CTL_STATUS_AHEAD_STATUS_H
#define RECAUDO_CTL_STATUS_AHEAD_STATUS_H

#include "ctl/core/output.h"
#include "store/operation/health.h"

/* Adds payments that were confirmed in the future, and limits of a day to come. */
void ahead_judge(const struct health *health, struct record_list *problems);

#endif
