/* The process that asks merchants, for `status`. */
#ifndef RECAUDO_CTL_STATUS_QUERY_STATUS_H
#define RECAUDO_CTL_STATUS_QUERY_STATUS_H

#include "ctl/core/command.h"

/* Adds `recaudo_query` to the record, and a problem where recaudo-query of this host does not answer, is missing beside
 * workers, or goes on with an earlier configuration. A host without workers needs none. */
void query_process_look(const struct context *context, struct record *record, struct record_list *problems);

#endif
