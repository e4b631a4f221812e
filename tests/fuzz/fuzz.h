/* What fuzz targets share. */
#ifndef RECAUDO_FUZZ_FUZZ_H
#define RECAUDO_FUZZ_FUZZ_H

#include "base/text.h"

#undef NDEBUG
#include <assert.h>

/* libFuzzer calls it with every input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The name of a file with these bytes; the next call replaces it. */
const char *fuzz_file(const void *bytes, size_t size);

/* Cuts the first line off *rest, without its end. */
struct text fuzz_line(struct text *rest);

/* Whole UTF-8 without control characters, or empty. */
void fuzz_assert_clean(const struct text *texts, size_t count);

#endif
