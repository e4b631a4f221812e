/* Why a request was refused, for the reply's TEXT: which field, and what is wrong with it. Constant strings or the
 * request's own memory, or NULL. */
#ifndef RECAUDO_WIRE_FAULT_H
#define RECAUDO_WIRE_FAULT_H

#include "domain/refusal.h"

struct fault {
    const char *field;
    const char *problem;
    unsigned most; /* characters that the field may have, where it has more; else 0 */
};

#endif
