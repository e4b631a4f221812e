#include "bench/common/operation.h"

static const char *const names[OPERATIONS] = {
    [OPERATION_LOOKUP] = "lookup", [OPERATION_REGISTER] = "register", [OPERATION_CONFIRM] = "confirm",
    [OPERATION_FLOW] = "flow",     [OPERATION_CANCEL] = "cancel",     [OPERATION_MIX] = "mix",
    [OPERATION_NOTIFY] = "notify", [OPERATION_PORDER] = "porder",     [OPERATION_CONSULT] = "consult",
    [OPERATION_SELECT] = "select",
};

const char *operation_name(enum operation operation) {
    return names[operation];
}

bool operation_parse(const char *name, enum operation *out) {
    for (unsigned operation = 0; operation < OPERATIONS; operation++) {
        if (strcmp(names[operation], name) == 0) {
            *out = (enum operation)operation;
            return true;
        }
    }
    return false;
}
