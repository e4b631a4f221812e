/* Connections that made one request and then stay open without another, as a client's connection pool has them. */
#ifndef RECAUDO_BENCH_LOAD_IDLE_H
#define RECAUDO_BENCH_LOAD_IDLE_H

#include "bench/load/load_link.h"

struct idle {
    int *fds;
    size_t count;
};

/* Opens as many as the options say, each with one verified lookup. Ends the program when one of them fails. */
void idle_open(struct idle *idle, const struct plan *plan, const struct load_options *options,
               const struct address *address);

/* How many the server has not closed. */
size_t idle_still_open(const struct idle *idle);

void idle_close(struct idle *idle);

#endif
