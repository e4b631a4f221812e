/* One thread's share of the load: its connections, driven from one epoll set. */
#ifndef RECAUDO_BENCH_LOAD_CLIENT_H
#define RECAUDO_BENCH_LOAD_CLIENT_H

#include "bench/load/load_link.h"
#include "bench/load/load_tally.h"

struct client;

/* `number` counts the threads from 0. Connects; ends the program when that is refused. Keeps the pointers. */
struct client *client_create(struct plan *plan, const struct load_options *options, const struct address *address,
                             unsigned number);

/* Runs the plan to its end, which includes waiting for the replies on their way. The plan must have begun. */
void client_run(struct client *client);

/* What the client has seen; belongs to it. */
const struct tally *client_tally(const struct client *client);

void client_destroy(struct client *client);

#endif
