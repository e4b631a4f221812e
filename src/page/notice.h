/* The page that stands where no slip can be shown, in both languages, because none is known. */
#ifndef RECAUDO_PAGE_NOTICE_H
#define RECAUDO_PAGE_NOTICE_H

#include "base/arena.h"
#include "domain/refusal.h"

/* It depends on the refusal alone: whoever guesses tokens learns nothing from it. */
struct text notice_page(enum refusal refusal, struct arena *arena);

#endif
