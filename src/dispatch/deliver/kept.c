#include "dispatch/deliver/kept.h"

#include "base/memory.h"

struct kept kept_create(size_t room) {
    return (struct kept){.room = room,
                         .outcomes = memory_zeroed(room, sizeof(struct delivery_outcome)),
                         .sendings = memory_zeroed(room, sizeof(struct sending *))};
}

void kept_destroy(struct kept *kept) {
    free(kept->sendings);
    free(kept->outcomes);
}

static void swap(struct kept *kept, size_t one, size_t other) {
    struct delivery_outcome outcome = kept->outcomes[one];
    struct sending *sending = kept->sendings[one];
    kept->outcomes[one] = kept->outcomes[other];
    kept->sendings[one] = kept->sendings[other];
    kept->outcomes[other] = outcome;
    kept->sendings[other] = sending;
}

void kept_add(struct kept *kept, struct sending *sending, const struct delivery_outcome *outcome) {
    if (kept->count == 0) {
        kept->first_at = clock_monotonic();
    }
    size_t end = kept->count + kept->locked;
    kept->outcomes[end] = *outcome;
    kept->sendings[end] = sending;
    swap(kept, kept->count++, end);
}

void kept_forget_first(struct kept *kept, size_t count) {
    kept->count -= count;
    size_t left = kept->count + kept->locked;
    memmove(kept->outcomes, kept->outcomes + count, left * sizeof *kept->outcomes);
    memmove(kept->sendings, kept->sendings + count, left * sizeof(struct sending *));
    kept->first_at = clock_monotonic();
}

void kept_put_first_behind(struct kept *kept, size_t count) {
    for (size_t i = 1; i < count; i++) {
        swap(kept, i - 1, i);
    }
}

void kept_lock_first(struct kept *kept) {
    kept_put_first_behind(kept, kept->count + kept->locked);
    kept->count--;
    kept->locked++;
}

void kept_unlock_first(struct kept *kept) {
    swap(kept, 0, kept->count++);
    kept->locked--;
}
