/* The seals of the event log, for `status`. */
#ifndef RECAUDO_CTL_STATUS_SEAL_STATUS_H
#define RECAUDO_CTL_STATUS_SEAL_STATUS_H

#include "ctl/core/command.h"

/* Adds `seals` to the record. Adds a problem if the oldest event without a seal is older than `late_seconds`, or if the
 * newest seals do not match the events. */
enum status seals_look(const struct context *context, struct connection *connection, struct record *record,
                       struct record_list *problems, uint64_t late_seconds);

#endif
