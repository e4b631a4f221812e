/* Files that hold a secret: keys and passwords. */
#ifndef RECAUDO_BASE_PROCESS_PRIVATE_FILE_H
#define RECAUDO_BASE_PROCESS_PRIVATE_FILE_H

#include "base/base.h"

/*
 * True if the mode of an open file gives others no access and the group no more than reading. False also if the mode
 * cannot be read.
 */
bool private_file_is_closed(int descriptor);

#endif
