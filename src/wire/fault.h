/*
 * Detail of a refusal for the reply's TEXT: which field, what is wrong with it, and the remedy. The strings are
 * constants, part of the request, or NULL.
 */
#ifndef RECAUDO_WIRE_FAULT_H
#define RECAUDO_WIRE_FAULT_H

#include "base/arena.h"
#include "domain/refusal.h"

struct fault {
    const char *field;
    const char *problem;
    const char *remedy;   /* what to send instead, if the problem does not say it; else NULL */
    unsigned least, most; /* the field's limits in characters, if its length is the problem; else 0 */
    size_t byte;          /* position in the body, from 1, at which reading stopped; 0: the problem has no position */
};

/* The merchant of an order or integration is disabled. Only networks that have proved their secret are told. */
#define FAULT_MERCHANT_DISABLED {.field = "the merchant of this reference", .problem = "is disabled"}

/* Returns the problem, its position and the remedy, without the field. fault->problem must be set. */
struct text fault_explain(const struct fault *fault, struct arena *arena);

#endif
