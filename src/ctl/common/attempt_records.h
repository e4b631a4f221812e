/* Attempts to deliver a notification as records. */
#ifndef RECAUDO_CTL_COMMON_ATTEMPT_RECORDS_H
#define RECAUDO_CTL_COMMON_ATTEMPT_RECORDS_H

#include "ctl/core/record.h"
#include "store/notification/notifications.h"

/* Adds one to the list; `whole`: everything that is known of it, with the whole reply; else what fits a line. */
void attempt_records_add(struct record_list *list, const struct attempt_row *attempt, bool whole);

/* Adds verdict, error and reason for a value of attempts.reason; error is that value, or nothing when it is
 * `acknowledged`. */
void attempt_records_verdict(struct record *record, struct text reason);

/* The same value in words. */
const char *attempt_records_words(struct text reason);

#endif
