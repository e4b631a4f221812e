/* Files that hold a secret: keys and passwords. */
#ifndef RECAUDO_BASE_PROCESS_PRIVATE_FILE_H
#define RECAUDO_BASE_PROCESS_PRIVATE_FILE_H

#include "base/base.h"

/*
 * Returns true if the mode of an open file gives others no access and the group at most the right to read. Returns
 * false also if the mode cannot be read.
 */
bool private_file_is_closed(int descriptor);

/* Opens the folder of the file, for reading. Returns the descriptor, which the caller closes; -1 with errno set: it
 * cannot be opened. */
int private_file_open_folder(const char *path);

/* Syncs the folder of the file to disk, so that a new name in it survives a crash. False: failed, errno says why. */
MUST_USE bool private_file_sync_folder(const char *path);

#endif
