#include "ctl/core/problem.h"

#include <stdarg.h>

void problem_add(struct record_list *problems, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    record_text(record_list_add(problems), "problem", arena_vprint(problems->arena, format, arguments));
    va_end(arguments);
}
