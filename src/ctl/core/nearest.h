/*
 * Which known word a mistyped one was meant to be. Pure.
 */
#ifndef RECAUDO_CTL_CORE_NEAREST_H
#define RECAUDO_CTL_CORE_NEAREST_H

#include "base/text.h"

/* Longer words are never near to anything. */
enum { NEAREST_WORD_MAX = 31 };

struct nearest {
    struct text typed;
    const char *word; /* the nearest one offered so far; NULL: none was near enough */
    size_t distance;  /* of `word`: letters left out, added, replaced or swapped with their neighbour */
};

struct nearest nearest_to(struct text typed);

/* Takes `word`, which must outlive `nearest`, when it is nearer than those before it: of equals the first one stays. */
void nearest_offer(struct nearest *nearest, const char *word);

#endif
