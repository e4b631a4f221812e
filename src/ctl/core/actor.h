/* Who is at the keyboard, for the event log. */
#ifndef RECAUDO_CTL_CORE_ACTOR_H
#define RECAUDO_CTL_CORE_ACTOR_H

#include "base/arena.h"

/* "operator:NAME", at most 80 characters: who called sudo, else the login name of the user, else the user's number. */
struct text actor_find(struct arena *arena);

#endif
