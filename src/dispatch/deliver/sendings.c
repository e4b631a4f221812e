#include "dispatch/deliver/sendings.h"

#include "base/memory.h"

#include <search.h>

struct sendings {
    void *tree; /* of struct sending, by the notification's id */
    struct sending *unused;
};

struct sendings *sendings_create(void) {
    return memory_zeroed(1, sizeof(struct sendings));
}

static void free_one(void *of_sending) {
    struct sending *sending = of_sending;
    arena_destroy(sending->arena);
    free(sending);
}

void sendings_destroy(struct sendings *sendings) {
    tdestroy(sendings->tree, free_one);
    while (sendings->unused != NULL) {
        struct sending *sending = sendings->unused;
        sendings->unused = sending->next;
        free_one(sending);
    }
    free(sendings);
}

static int compare_sendings(const void *a, const void *b) {
    uint64_t left = ((const struct sending *)a)->notification.id, right = ((const struct sending *)b)->notification.id;
    return (left > right) - (left < right);
}

static struct sending *take_unused(struct sendings *sendings) {
    struct sending *sending = sendings->unused;
    if (sending != NULL) {
        sendings->unused = sending->next;
        return sending;
    }
    sending = memory_zeroed(1, sizeof *sending);
    sending->arena = arena_create();
    return sending;
}

static void copy_notification(struct arena *arena, const struct notification *from, struct notification *to) {
    *to = *from;
#define X(name) to->name = arena_copy(arena, from->name);
    NOTIFICATION_TEXTS(X)
#undef X
    sealed_pair_own(&to->sealed_hash, arena);
}

struct sending *sendings_add(struct sendings *sendings, const struct notification *notification,
                             const unsigned char lease[LEASE_BYTES]) {
    struct sending *sending = take_unused(sendings);
    copy_notification(sending->arena, notification, &sending->notification);
    memcpy(sending->lease, lease, LEASE_BYTES);
    struct sending **in_hand = memory_needed(tsearch(sending, &sendings->tree, compare_sendings));
    if (*in_hand == sending) {
        return sending;
    }
    memcpy((*in_hand)->lease, lease, LEASE_BYTES);
    arena_reset(sending->arena);
    sending->next = sendings->unused;
    sendings->unused = sending;
    return NULL;
}

void sendings_remove(struct sendings *sendings, struct sending *sending) {
    tdelete(sending, &sendings->tree, compare_sendings);
    arena_reset(sending->arena);
    sending->next = sendings->unused;
    sendings->unused = sending;
}
