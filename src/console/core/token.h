/* Tokens of forms. A valid token proves that a page of the console made it for this user and this form. */
#ifndef RECAUDO_CONSOLE_CORE_TOKEN_H
#define RECAUDO_CONSOLE_CORE_TOKEN_H

#include "base/arena.h"
#include "base/clock.h"

/* What a token is bound to. It reveals no secret, and is useless to other users and for other forms. */
struct token_terms {
    struct text key;    /* the database's key, in hex */
    struct text user;   /* name */
    struct text action; /* the path that the form is sent to */
};

/* A token is valid for at least TOKEN_LIFE after `now`, and for less than twice that. */
#define TOKEN_LIFE (4 * HOUR)

struct text token_make(const struct token_terms *terms, instant now, struct arena *arena);

/* Constant time. Also accepts a token of the next step, from a host whose clock is ahead. */
MUST_USE bool token_is_valid(const struct token_terms *terms, instant now, struct text given);

#endif
