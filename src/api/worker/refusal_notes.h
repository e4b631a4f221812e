/*
 * Writes into the database how many requests were refused, for the console. One process does it for all of a host,
 * every 10 seconds and beside the requests: none waits for it. What could not be written is written the next time; what
 * came in the last seconds before the service stops is not.
 */
#ifndef RECAUDO_API_WORKER_REFUSAL_NOTES_H
#define RECAUDO_API_WORKER_REFUSAL_NOTES_H

#include "api/worker/service.h"
#include "base/loop/loop.h"

struct refusal_notes {
    struct timer next;
    struct service *service;
    bool are_idle; /* no task writes */
};

/* From now on, in a process that runs a loop. */
void refusal_notes_begin(struct refusal_notes *notes, struct service *service);

/* Waits until what is being written is written. Before the pool is destroyed. */
void refusal_notes_end(struct refusal_notes *notes);

#endif
