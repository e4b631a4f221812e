/* Shows attempts to deliver a notification as records. */
#ifndef RECAUDO_CTL_COMMON_ATTEMPT_RECORDS_H
#define RECAUDO_CTL_COMMON_ATTEMPT_RECORDS_H

#include "ctl/core/record.h"
#include "store/notification/notifications.h"

/* Adds one attempt to the list. `whole`: with all fields and the whole reply; else the fields that fit one line. */
void attempt_records_add(struct record_list *list, const struct attempt_row *attempt, bool whole);

/* Adds verdict, error and reason for a value of attempts.reason. The error is that value, or nothing if it is
 * `acknowledged`. */
void attempt_records_verdict(struct record *record, struct text reason);

/* Returns a value of attempts.reason in words. */
const char *attempt_records_words(struct text reason);

#endif
