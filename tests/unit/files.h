/* Files that a test needs and that vanish with it. */
#ifndef RECAUDO_TESTS_UNIT_FILES_H
#define RECAUDO_TESTS_UNIT_FILES_H

#include <stddef.h>

/* A path under which `content` can be read as a file of mode 0600, until the next call or the end of the test. */
const char *file_with(const char *content);

/* The same for bytes that a NUL does not end. */
const char *file_with_bytes(const char *content, size_t size);

/* What is written to standard error from now on can be read with errors_text. */
void capture_errors(void);

/* What was written since capture_errors; its end if that is long. */
const char *errors_text(void);

/* After a test: takes everything back, where tests share a process. */
void files_end(void);

#endif
