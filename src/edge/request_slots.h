/* Keeps the arenas and FastCGI state of finished requests for the next ones. For use by one thread. */
#ifndef RECAUDO_EDGE_REQUEST_SLOTS_H
#define RECAUDO_EDGE_REQUEST_SLOTS_H

#include "base/arena.h"

#include <fcgiapp.h>

struct request_slot {
    FCGX_Request fcgi;
    struct arena *arena;
    struct request_slot *next;
};

/* All zero initially. */
struct request_slots {
    struct request_slot *idle;
    size_t count;
};

/* Returns a slot, which the caller owns until it gives it back. */
struct request_slot *request_slots_take(struct request_slots *slots);

/* Resets the slot's arena. Beyond 256 idle slots, frees the slot instead. */
void request_slots_give(struct request_slots *slots, struct request_slot *slot);

/* Frees the idle slots. */
void request_slots_free(struct request_slots *slots);

#endif
