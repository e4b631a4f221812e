/* Bytes as hex digits. */
#ifndef RECAUDO_BASE_HEX_H
#define RECAUDO_BASE_HEX_H

#include "base/text.h"

/* Size of the text of `bytes` bytes, including the NUL. */
#define HEX_SIZE(bytes) (2 * (bytes) + 1)

/* Writes 2 * size lower-case digits and a NUL. Returns the number of digits. */
size_t hex_print(const void *bytes, size_t size, char *out);

/* Reads exactly `size` bytes from 2 * size digits in either case. Returns false if `digits` is anything else; *out is
 * then undefined. */
MUST_USE bool hex_read(struct text digits, void *out, size_t size);

/* Returns the value of a hex digit in either case; -1 for any other character. */
int hex_value(char c);

#endif
