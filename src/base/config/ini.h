/*
 * INI files: [section] and key = value lines; # or ; at the start of a line begins a comment. Nothing is cut off a
 * value, lines may be of any length but without NUL, white space around names and values does not count. (The libraries
 * at hand cut values at " ;" and lines at 200 bytes.)
 */
#ifndef RECAUDO_BASE_CONFIG_INI_H
#define RECAUDO_BASE_CONFIG_INI_H

#include "base/text.h"

/*
 * Calls `each` for every key; its strings live for the call. Ends at the first line that is neither or that `each`
 * refuses, and returns its number; 0 when all was read, -1 when the file cannot be read; errno says why.
 */
int ini_read(const char *path, bool (*each)(void *context, const char *section, const char *key, const char *value),
             void *context);

#endif
