/* The usage of a program, printed when it is asked for and when its words are wrong; and its version. */
#ifndef RECAUDO_BASE_PROCESS_USAGE_H
#define RECAUDO_BASE_PROCESS_USAGE_H

#include "base/base.h"

/*
 * Prints the usage of a program that takes no words but --help, -h and --version. `how` says what else it needs, or is
 * empty; `configuration` is the path of its file. Returns as usage_end: the usage was asked for if the only word is
 * --help or -h.
 */
int usage_tell(int count, char **words, const char *how, const char *configuration);

/* Ends the usage. Returns the exit status: EXIT_SUCCESS if it was asked for, 2 if the words are wrong; EXIT_FAILURE,
 * logged, if it was asked for and cannot be written. */
int usage_end(FILE *to);

/* Returns true if the only word is --version. */
bool version_is_asked(int count, char **words);

/* Prints the program's name and version. Returns the exit status, as usage_end. */
int version_tell(const char *program);

#endif
