/*
 * INI files: lines [section] and key = value; # or ; at the start of a line begins a comment. White space around names
 * and values is ignored. Values are never truncated. Lines may have any length but no NUL. (Available libraries cut
 * values at " ;" and lines at 200 bytes.)
 */
#ifndef RECAUDO_BASE_CONFIG_INI_H
#define RECAUDO_BASE_CONFIG_INI_H

#include "base/text.h"

/*
 * Calls `each` for every key; the strings are valid during the call.
 * Returns 0: everything was read.
 * -1: the file cannot be read; errno is set.
 * Otherwise: the number of the first line that is malformed or for which `each` returned false. Reading stops there.
 */
int ini_read(const char *path, bool (*each)(void *context, const char *section, const char *key, const char *value),
             void *context);

#endif
