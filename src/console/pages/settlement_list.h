/* The settlements that were closed, as a page lists them. */
#ifndef RECAUDO_CONSOLE_PAGES_SETTLEMENT_LIST_H
#define RECAUDO_CONSOLE_PAGES_SETTLEMENT_LIST_H

#include "console/core/view.h"

/* Adds a table of the newest. */
enum status settlement_list_put(struct view *view);

/* Adds a note with those of the newest 400 that are closed and were open between two instants; nothing where there are
 * none. */
enum status settlement_list_put_within(struct view *view, instant from, instant to);

#endif
