/*
 * Calls of other libraries that are refused to the program under test. A function that REFUSING defines stands before
 * that of the library; calls of the libraries among themselves do not count.
 */
#ifndef RECAUDO_TESTS_UNIT_AUTH_REFUSED_CALLS_H
#define RECAUDO_TESTS_UNIT_AUTH_REFUSED_CALLS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* Is it this call? `left` is how many it is until that one, itself too; 0: none is, or it has been. A call counts if
 * `caller` is in this program. */
bool call_is_refused(unsigned *left, const char *caller);

/* Of those that a file defines, its `refused_call` counts. */
#define REFUSING(type, name, parameters, arguments, refusal)                                                           \
    type name parameters {                                                                                             \
        static type(*theirs) parameters;                                                                               \
        if (theirs == NULL) {                                                                                          \
            *(void **)&theirs = dlsym(RTLD_NEXT, #name);                                                               \
        }                                                                                                              \
        return call_is_refused(&refused_call, __builtin_return_address(0)) ? (refusal) : theirs arguments;             \
    }

#endif
