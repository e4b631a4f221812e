/* How many files the process may have open at once. */
#ifndef RECAUDO_BASE_PROCESS_FILE_LIMIT_H
#define RECAUDO_BASE_PROCESS_FILE_LIMIT_H

#include "base/base.h"

/* Raises the soft limit to the hard limit. Returns the limit less `reserved` descriptors for other purposes, but at
 * least half of it. */
size_t file_limit_raise(size_t reserved);

#endif
