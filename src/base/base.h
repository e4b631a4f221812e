/* What every file includes first: the standard types, and the functions this project does not use. */
#ifndef RECAUDO_BASE_BASE_H
#define RECAUDO_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* No bound on what they write, or no way to see a failure. Instead: buffer_*, snprintf, text_* and strtoull with checks. */
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf stpcpy gets strtok atoi atol atoll atof
#pragma GCC poison gmtime localtime ctime asctime

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define PRINTF_LIKE(format_at, arguments_at) __attribute__((format(printf, format_at, arguments_at)))

#endif
