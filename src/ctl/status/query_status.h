/* recaudo-query, the process that queries merchants, for `status`. */
#ifndef RECAUDO_CTL_STATUS_QUERY_STATUS_H
#define RECAUDO_CTL_STATUS_QUERY_STATUS_H

#include "ctl/core/command.h"

/* Adds `recaudo_query` to the record. Adds a problem if this host's recaudo-query does not answer, is missing while
 * workers run, or still uses an earlier configuration. A host without workers needs none. */
void query_process_look(const struct context *context, struct record *record, struct record_list *problems);

#endif
