/* What is measured. */
#ifndef RECAUDO_BENCH_OPERATION_H
#define RECAUDO_BENCH_OPERATION_H

#include "base/base.h"

enum operation {
    OPERATION_LOOKUP,
    OPERATION_REGISTER,
    OPERATION_CONFIRM,
    OPERATION_FLOW,    /* look up, register and confirm one order, one after the other */
    OPERATION_CANCEL,  /* confirm = false, inside the window */
    OPERATION_MIX,     /* what a network asks for in life: see journey.h; recorded for each of its requests */
    OPERATION_NOTIFY,  /* a merchant's notification, as the dispatcher posts it; only over HTTP */
    OPERATION_PORDER,  /* a merchant registers an order */
    OPERATION_CONSULT, /* a merchant consults one; its number is its reference */
    OPERATION_SELECT,  /* a bare point select of the order's row; never over HTTP */
    OPERATIONS
};

/* "lookup", "register", ... */
const char *operation_name(enum operation operation);

/* False when no operation has this name. */
bool operation_parse(const char *name, enum operation *out);

#endif
