#include "dispatch/deliver/kept.h"

#include "base/memory.h"

/* Bytes of replies in one statement, which has them as hex: far below max_allowed_packet (16 MiB). */
enum { REPLY_BYTES_AT_ONCE = 256 * 1024 };

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

size_t kept_at_once(const struct kept *kept) {
    size_t count = 0, bytes = 0;
    while (count < kept->count && count < OUTCOMES_AT_ONCE && bytes < REPLY_BYTES_AT_ONCE) {
        bytes += kept->outcomes[count++].reply.size;
    }
    return count;
}

void kept_take_leases(struct kept *kept, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memcpy(kept->outcomes[i].lease, kept->sendings[i]->lease, LEASE_BYTES);
    }
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
    for (size_t i = kept->count++; i > 0; i--) {
        swap(kept, i, i - 1);
    }
    kept->locked--;
}
