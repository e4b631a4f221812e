/* Shows events as records. */
#ifndef RECAUDO_CTL_COMMON_EVENT_RECORDS_H
#define RECAUDO_CTL_COMMON_EVENT_RECORDS_H

#include "ctl/core/command.h"
#include "store/operation/events.h"

/* Adds the change, the states before and after it, the actor and the reason. */
void event_records_describe(struct record *record, const struct event *event);

/* Adds the list `events` to the record of the subject; `subject` as in store/operation/events.h. */
enum outcome event_records_add(const struct context *context, const char *subject, uint64_t id, struct record *record);

#endif
