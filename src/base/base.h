/* Included first by every file: the standard types, and a ban on unsafe functions. */
#ifndef RECAUDO_BASE_BASE_H
#define RECAUDO_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* These write without a bound or report no failure. Use arena_print or snprintf, memcpy, and text_to_number. */
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf stpcpy gets strtok atoi atol atoll atof
/* These share a buffer between threads or read TZ. Use domain/instant.h and base/zone/zone.h. */
#pragma GCC poison gmtime localtime ctime asctime

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the structure of this type whose member `pointer` points to. */
#define OWNER_OF(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

/*
 * The caller must use the result. Put it before a function, or after `enum` to apply it to every function that returns
 * the enum. A caller that does not need the result casts it to void and says why.
 */
#if defined __CPPCHECK__ /* some versions parse neither form */
#define MUST_USE
#elif defined __clang__
#define MUST_USE __attribute__((warn_unused_result))
#else
#define MUST_USE [[nodiscard]]
#endif

#define PRINTF_LIKE(format_at, arguments_at) __attribute__((format(printf, format_at, arguments_at)))

#endif
