/* What a database clock that was ahead left behind after it was set back, for `status`. */
#ifndef RECAUDO_CTL_STATUS_AHEAD_STATUS_H
#define RECAUDO_CTL_STATUS_AHEAD_STATUS_H

#include "ctl/core/record.h"
#include "store/operation/health.h"

/* Adds problems for payments confirmed in the future, limits of a day in the future, attempts that wait for a time in
 * the future, and a settlement that was closed too early. */
void ahead_judge(const struct health *health, struct record_list *problems);

#endif
