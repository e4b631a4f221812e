/* The page shown instead of a slip when there is none. It has both languages, because the customer's is unknown. */
#ifndef RECAUDO_PAGE_NOTICE_H
#define RECAUDO_PAGE_NOTICE_H

#include "base/arena.h"
#include "domain/refusal.h"

/* The page depends on the refusal only, so that guessing tokens reveals nothing. */
struct text notice_page(enum refusal refusal, struct arena *arena);

#endif
