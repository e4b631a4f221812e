/*
 * Makes library calls of the program under test fail. A function defined by REFUSING takes precedence over the
 * library's. Calls between libraries are not affected.
 */
#ifndef RECAUDO_TESTS_UNIT_AUTH_REFUSED_CALLS_H
#define RECAUDO_TESTS_UNIT_AUTH_REFUSED_CALLS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/* Counts the call if `caller` is in this program, and returns whether it is the one to refuse. *left is the number of
 * calls up to and including that one; 0: none, or it is over. */
bool call_is_refused(unsigned *left, const char *caller);

/* All functions that a file defines share its counter `refused_call`. */
#define REFUSING(type, name, parameters, arguments, refusal)                                                           \
    type name parameters {                                                                                             \
        static type(*theirs) parameters;                                                                               \
        if (theirs == NULL) {                                                                                          \
            *(void **)&theirs = dlsym(RTLD_NEXT, #name);                                                               \
        }                                                                                                              \
        return call_is_refused(&refused_call, __builtin_return_address(0)) ? (refusal) : theirs arguments;             \
    }

#endif
