/* Command lines of the benchmark programs: `--name value` pairs from a table, nothing else. */
#ifndef RECAUDO_BENCH_OPTIONS_H
#define RECAUDO_BENCH_OPTIONS_H

#include "base/base.h"

enum option_kind { OPTION_TEXT, OPTION_WHOLE, OPTION_DECIMAL };

struct option_spec {
    const char *name; /* without the dashes */
    enum option_kind kind;
    void *value;  /* const char ** for OPTION_TEXT, uint64_t * for OPTION_WHOLE, double * for OPTION_DECIMAL */
    double least; /* of a number */
    double most;
};

/* Sets what the command line names and leaves the rest alone. --help prints `usage` and ends the program, and so does
 * anything that is not in the table, with the reason. Texts point into argv. */
void options_parse(int argc, char **argv, const char *usage, const struct option_spec *specs, size_t count);

/* The first line of a file that holds a secret, to be freed. Ends the program when there is none. */
char *options_secret(const char *path);

#endif
