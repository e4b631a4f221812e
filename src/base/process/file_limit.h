/* How many files the process may have open. */
#ifndef RECAUDO_BASE_PROCESS_FILE_LIMIT_H
#define RECAUDO_BASE_PROCESS_FILE_LIMIT_H

#include "base/base.h"

/* Raises the limit as far as the process itself may. Returns it less `reserved`, those that are needed for something
 * else, but a half of it at least. */
size_t file_limit_raise(size_t reserved);

#endif
