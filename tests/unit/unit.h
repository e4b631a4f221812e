/* The unit tests: one file per module, each with one test case that main.c runs. */
#ifndef RECAUDO_TESTS_UNIT_UNIT_H
#define RECAUDO_TESTS_UNIT_UNIT_H

#include "assert_text.h"
#include "files.h"

#define MODULES(X)                                                                                                     \
    X(text)                                                                                                            \
    X(arena)                                                                                                           \
    X(log)                                                                                                             \
    X(config)                                                                                                          \
    X(money)                                                                                                           \
    X(instant)                                                                                                         \
    X(currency)                                                                                                        \
    X(reference)                                                                                                       \
    X(order)                                                                                                           \
    X(payable)                                                                                                         \
    X(registration)                                                                                                    \
    X(confirmation)                                                                                                    \
    X(secret)                                                                                                          \
    X(checksum)                                                                                                        \
    X(vault)                                                                                                           \
    X(utf8)                                                                                                            \
    X(json_check)                                                                                                      \
    X(object)                                                                                                          \
    X(uri)                                                                                                             \
    X(messages)                                                                                                        \
    X(reply)                                                                                                           \
    X(reply_code)                                                                                                      \
    X(cache)                                                                                                           \
    X(route)                                                                                                           \
    X(layers)

#define X(module) TCase *module##_tests(void);
MODULES(X)
#undef X

#endif
