/*
 * Reports to the database what the workers of this host do. One process of a host reports every 10 seconds, and no
 * request waits for it. It reports how many requests were refused, except those of /readyz, and which networks were
 * refused, for the console and `recaudoctl status`. For `status` it also reports that the workers run, refused a
 * reload, or lack a right that requests need. A failed write is repeated with the next one. Refusals of the last
 * seconds before the service stops are not reported.
 */
#ifndef RECAUDO_API_WORKER_SERVICE_NOTES_H
#define RECAUDO_API_WORKER_SERVICE_NOTES_H

#include "api/worker/service.h"
#include "base/loop/loop.h"

struct service_notes {
    struct timer next;
    struct service *service;
    bool are_idle;    /* no task is writing */
    bool lack_rights; /* when last checked */
};

/* Starts writing, in a process that runs a loop. */
void service_notes_begin(struct service_notes *notes, struct service *service);

/* Waits until a write in progress has ended. Call it before the pool is destroyed. */
void service_notes_end(struct service_notes *notes);

#endif
