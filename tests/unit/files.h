/* Files that exist for one test only. */
#ifndef RECAUDO_TESTS_UNIT_FILES_H
#define RECAUDO_TESTS_UNIT_FILES_H

#include <stddef.h>

/* Returns the path of a file of mode 0600 with this content. It is valid until the next call or the end of the test. */
const char *file_with(const char *content);

/* The same for bytes that may contain NUL. */
const char *file_with_bytes(const char *content, size_t size);

/* Captures standard error from now on, to be read with errors_text. */
void capture_errors(void);

/* Returns what was written since capture_errors, or the end of it if it is long. */
const char *errors_text(void);

/* The descriptor that the next file gets: the same as before if none has stayed open. */
int next_descriptor(void);

/* Call it after a test: undoes everything, for tests that share a process. */
void files_end(void);

#endif
