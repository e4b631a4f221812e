/* The pages that only read. Each is a function for the table in console/page_table.c. */
#ifndef RECAUDO_CONSOLE_PAGES_PAGES_H
#define RECAUDO_CONSOLE_PAGES_PAGES_H

#include "console/core/view.h"

enum status page_now(struct view *view);

#endif
