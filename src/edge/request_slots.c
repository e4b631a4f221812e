#include "edge/request_slots.h"

#include "base/memory.h"

enum { IDLE_MAX = 256 };

struct request_slot *request_slots_take(struct request_slots *slots) {
    struct request_slot *slot = slots->idle;
    if (slot != NULL) {
        slots->idle = slot->next;
        slots->count--;
        return slot;
    }
    slot = memory_zeroed(1, sizeof *slot);
    slot->arena = arena_create();
    FCGX_InitRequest(&slot->fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR);
    return slot;
}

static void free_request_slot(struct request_slot *slot) {
    arena_destroy(slot->arena);
    free(slot);
}

void request_slots_give(struct request_slots *slots, struct request_slot *slot) {
    if (slots->count == IDLE_MAX) {
        free_request_slot(slot);
        return;
    }
    arena_reset(slot->arena);
    slot->next = slots->idle;
    slots->idle = slot;
    slots->count++;
}

void request_slots_free(struct request_slots *slots) {
    while (slots->idle != NULL) {
        free_request_slot(request_slots_take(slots));
    }
}
