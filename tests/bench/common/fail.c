#include "bench/common/fail.h"

#include <errno.h>
#include <stdarg.h>

void fail(const char *format, ...) {
    char reason[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, reason);
    exit(2);
}
