/* What a CODE of the protocol means, in the reader's language. */
#ifndef RECAUDO_CONSOLE_CORE_REFUSALS_H
#define RECAUDO_CONSOLE_CORE_REFUSALS_H

#include "domain/refusal.h"
#include "page/wording.h"

/* In English the TEXT of the reply. */
struct text refusal_words(enum refusal refusal, enum language language);

#endif
