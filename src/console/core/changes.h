/* What an event changed, as people read it. */
#ifndef RECAUDO_CONSOLE_CORE_CHANGES_H
#define RECAUDO_CONSOLE_CORE_CHANGES_H

#include "console/core/view.h"

/* Adds a list "name: old → new" of an event's changes (struct event), which are not empty. */
void put_changes(struct view *view, struct text changes);

#endif
