/* The command line of recaudo-load. `recaudo-load --help` is its manual. */
#ifndef RECAUDO_BENCH_LOAD_OPTIONS_H
#define RECAUDO_BENCH_LOAD_OPTIONS_H

#include "bench/common/plan.h"

struct load_options {
    struct plan_options plan; /* any mode but select */
    char *host;               /* numeric address */
    char *port;
    const char *network;   /* `name` of every request */
    char *network_hash;    /* its FIXED_HASH */
    const char *json_path; /* NULL: no JSON report */
    uint64_t connections;
    uint64_t threads;
    uint64_t idle;  /* further connections that make one request and then wait */
    double timeout; /* seconds until a reply counts as missing */
    double rate;    /* starts per second; 0: closed loop */
};

/* Prints the reason and ends the program when the command line is not valid. */
void load_options_parse(int argc, char **argv, struct load_options *options);

void load_options_free(struct load_options *options);

#endif
