/* The page that compares a network's own list with ours, for the table in console/page_table.c. */
#ifndef RECAUDO_CONSOLE_COMPARE_COMPARE_H
#define RECAUDO_CONSOLE_COMPARE_COMPARE_H

#include "console/core/view.h"

enum status page_compare(struct view *view);

#endif
