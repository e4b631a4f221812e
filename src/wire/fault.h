/* Detail of a refusal for the reply's TEXT: which field, and what is wrong with it. The strings are constants, part of
 * the request, or NULL. */
#ifndef RECAUDO_WIRE_FAULT_H
#define RECAUDO_WIRE_FAULT_H

#include "domain/refusal.h"

struct fault {
    const char *field;
    const char *problem;
    unsigned most; /* the field's limit in characters, if it exceeds that; else 0 */
};

#endif
