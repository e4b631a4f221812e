/* Problems that a report found and somebody must act on. A report with a problem exits with 1. */
#ifndef RECAUDO_CTL_CORE_PROBLEM_H
#define RECAUDO_CTL_CORE_PROBLEM_H

#include "base/base.h"
#include "ctl/core/record.h"

/* Adds a problem at the end; its line includes the remedy. */
void problem_add(struct record_list *problems, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
