/* Tokens of forms: only a page of the console can have made one for this user and this form. */
#ifndef RECAUDO_CONSOLE_CORE_TOKEN_H
#define RECAUDO_CONSOLE_CORE_TOKEN_H

#include "base/arena.h"
#include "base/clock.h"

/* What a token is good for: it names no secret, and is of no use to another user or for another form. */
struct token_terms {
    struct text key;    /* of the database, in hex */
    struct text user;   /* name */
    struct text action; /* path that the form is sent to */
};

/* Valid for TOKEN_LIFE after `now`, rounded up to at most twice that. */
#define TOKEN_LIFE (4 * HOUR)

struct text token_make(const struct token_terms *terms, instant now, struct arena *arena);

/* Takes the same time wherever it differs. A token of a host whose clock is ahead, across the end of a step, is valid.
 */
MUST_USE bool token_is_valid(const struct token_terms *terms, instant now, struct text given);

#endif
