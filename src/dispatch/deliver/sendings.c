#include "dispatch/deliver/sendings.h"

#include <search.h>

struct sendings {
    void *tree; /* of struct sending, by the notification's id */
    struct sending *unused;
};

struct sendings *sendings_create(void) {
    struct sendings *sendings = calloc(1, sizeof *sendings);
    if (sendings == NULL) {
        abort();
    }
    return sendings;
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

static int compare(const void *a, const void *b) {
    uint64_t left = ((const struct sending *)a)->notification.id, right = ((const struct sending *)b)->notification.id;
    return (left > right) - (left < right);
}

static struct sending *take_unused(struct sendings *sendings) {
    struct sending *sending = sendings->unused;
    if (sending != NULL) {
        sendings->unused = sending->next;
        return sending;
    }
    sending = calloc(1, sizeof *sending);
    if (sending == NULL) {
        abort();
    }
    sending->arena = arena_create();
    return sending;
}

static void copy_notification(struct arena *arena, const struct notification *from, struct notification *to) {
    *to = *from;
    to->po_id = arena_copy(arena, from->po_id);
    to->currency = arena_copy(arena, from->currency);
    to->payment_means = arena_copy(arena, from->payment_means);
    to->merchant_name = arena_copy(arena, from->merchant_name);
    to->url = arena_copy(arena, from->url);
    to->sealed_hash.current = arena_copy(arena, from->sealed_hash.current);
    to->sealed_hash.old = arena_copy(arena, from->sealed_hash.old);
}

struct sending *sendings_add(struct sendings *sendings, const struct notification *notification,
                             const unsigned char lease[LEASE_BYTES]) {
    struct sending *sending = take_unused(sendings);
    copy_notification(sending->arena, notification, &sending->notification);
    memcpy(sending->lease, lease, LEASE_BYTES);
    struct sending **in_hand = tsearch(sending, &sendings->tree, compare);
    if (in_hand == NULL) {
        abort();
    }
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
    tdelete(sending, &sendings->tree, compare);
    arena_reset(sending->arena);
    sending->next = sendings->unused;
    sendings->unused = sending;
}
