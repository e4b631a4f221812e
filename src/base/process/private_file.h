/* Files that hold a secret: keys and passwords. */
#ifndef RECAUDO_BASE_PROCESS_PRIVATE_FILE_H
#define RECAUDO_BASE_PROCESS_PRIVATE_FILE_H

#include "base/base.h"

/*
 * Whether an open file is closed to strangers: its owner may read and write it, its group may read it, nobody else has
 * any right. False also when that cannot be found out.
 */
bool private_file_is_closed(int descriptor);

#endif
