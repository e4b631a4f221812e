/*
 * The file in memory from which libfcgi reads a request, so that it never waits for a connection.
 */
#ifndef RECAUDO_EDGE_REQUEST_FILE_H
#define RECAUDO_EDGE_REQUEST_FILE_H

#include "base/base.h"

/* Returns its descriptor, or -1 and sets errno. */
int request_file_make(void);

/* Replaces its content with a complete request, and moves to its beginning. Returns false and sets errno on failure. */
MUST_USE bool request_file_write(int request_file, const char *request, size_t size);

#endif
