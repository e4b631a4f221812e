/*
 * Finds the known word that a mistyped one was probably meant to be. Pure.
 */
#ifndef RECAUDO_CTL_CORE_NEAREST_H
#define RECAUDO_CTL_CORE_NEAREST_H

#include "base/text.h"

/* Longer words match nothing. */
enum { NEAREST_WORD_MAX = 31 };

struct nearest {
    struct text typed;
    const char *word; /* the nearest word offered so far; NULL: none was near enough */
    size_t distance;  /* of `word`: letters omitted, inserted, replaced or swapped with their neighbour */
};

struct nearest nearest_to(struct text typed);

/* Keeps `word`, which must outlive `nearest`, if it is nearer than all words before it. Of equally near words, the
 * first is kept. */
void nearest_offer(struct nearest *nearest, const char *word);

#endif
