/* Detail of a refusal for the reply's TEXT: which field, what is wrong with it, and what would be right. The strings
 * are constants, part of the request, or NULL. */
#ifndef RECAUDO_WIRE_FAULT_H
#define RECAUDO_WIRE_FAULT_H

#include "base/arena.h"
#include "domain/refusal.h"

struct fault {
    const char *field;
    const char *problem;
    const char *remedy;   /* what would be right, where the problem does not say it; else NULL */
    unsigned least, most; /* the field's limits in characters, if its length is the problem; else 0 */
    size_t byte; /* the body's byte, counted from 1, at which reading it stopped; 0: the problem has no place */
};

/* Of an order or an integration, told to a network that has proved its secret. */
#define FAULT_MERCHANT_DISABLED {.field = "the merchant of this reference", .problem = "is disabled"}

/* The problem, its place and what would be right, without the field. There must be a problem. */
struct text fault_explain(const struct fault *fault, struct arena *arena);

#endif
