/* Sections of the first page. Each statement of them reads about as many rows however many orders there are. */
#ifndef RECAUDO_CONSOLE_PAGES_NOW_NOW_H
#define RECAUDO_CONSOLE_PAGES_NOW_NOW_H

#include "console/core/view.h"

/* Payments per minute of the hour before `now`, and per hour of three days. */
enum status now_put_charts(struct view *view, instant now);

/* The hosts of the dispatchers, and when each was last seen. */
enum status now_put_dispatchers(struct view *view);

/* Refused requests of the last day, by CODE. */
enum status now_put_refusals(struct view *view);

/* The settlement that was closed last; nothing where none was. */
enum status now_put_settlement(struct view *view);

#endif
