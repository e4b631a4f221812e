/* Files that hold a secret: keys and passwords. */
#ifndef RECAUDO_BASE_PROCESS_PRIVATE_FILE_H
#define RECAUDO_BASE_PROCESS_PRIVATE_FILE_H

#include "base/base.h"

/*
 * Returns true if the mode of an open file gives others no access and the group at most the right to read. Returns
 * false also if the mode cannot be read.
 */
bool private_file_is_closed(int descriptor);

#endif
