/* What requests need while they are served, kept for the next ones. For one thread. */
#ifndef RECAUDO_EDGE_REQUEST_SLOTS_H
#define RECAUDO_EDGE_REQUEST_SLOTS_H

#include "base/arena.h"

#include <fcgiapp.h>

struct request_slot {
    FCGX_Request fcgi;
    struct arena *arena;
    struct request_slot *next;
};

/* All zero: none are kept. */
struct request_slots {
    struct request_slot *idle;
    size_t count;
};

/* The caller's until it is given back. */
struct request_slot *request_slots_take(struct request_slots *slots);

/* Its arena is reset. After many at once their memory goes back to the system. */
void request_slots_give(struct request_slots *slots, struct request_slot *slot);

/* Frees those that are kept. */
void request_slots_free(struct request_slots *slots);

#endif
