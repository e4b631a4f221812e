/* The seals of the event log, for `status`. */
#ifndef RECAUDO_CTL_STATUS_SEAL_STATUS_H
#define RECAUDO_CTL_STATUS_SEAL_STATUS_H

#include "ctl/core/command.h"

/* Adds `seals` to the record, and a problem where the oldest event without a seal waits for longer than `late_seconds`
 * after its time, or where the newest seals do not fit the events. */
enum status seals_look(const struct context *context, struct connection *connection, struct record *record,
                       struct record_list *problems, uint64_t late_seconds);

#endif
