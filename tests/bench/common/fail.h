/* How a benchmark program gives up: one line on standard error and exit code 2. Exit code 1 is kept for wrong replies.
 */
#ifndef RECAUDO_BENCH_FAIL_H
#define RECAUDO_BENCH_FAIL_H

#include "base/base.h"

/* The format is printf's; %m is errno's text. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
