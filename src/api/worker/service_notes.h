/*
 * Writes into the database how many requests were refused, but those of /readyz, for the console and `recaudoctl
 * status`, and for `status` that the workers run, refused a reload, or lack a right that requests need. One process
 * does it for all of a host, every 10 seconds and beside the requests: none waits for it. What could not be written is
 * written the next time; what came in the last seconds before the service stops is not.
 */
#ifndef RECAUDO_API_WORKER_SERVICE_NOTES_H
#define RECAUDO_API_WORKER_SERVICE_NOTES_H

#include "api/worker/service.h"
#include "base/loop/loop.h"

struct service_notes {
    struct timer next;
    struct service *service;
    bool are_idle;    /* no task writes */
    bool lack_rights; /* at the last look */
};

/* From now on, in a process that runs a loop. */
void service_notes_begin(struct service_notes *notes, struct service *service);

/* Waits until what is being written is written. Before the pool is destroyed. */
void service_notes_end(struct service_notes *notes);

#endif
