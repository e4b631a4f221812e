/* The operator who runs the command, for the event log. */
#ifndef RECAUDO_CTL_CORE_ACTOR_H
#define RECAUDO_CTL_CORE_ACTOR_H

#include "base/arena.h"

/* Returns "operator:NAME", at most 80 characters. NAME is the user who called sudo, else the login name, else the user
 * id. */
struct text actor_find(struct arena *arena);

#endif
