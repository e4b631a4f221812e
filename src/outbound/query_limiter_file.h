/* The file that the query limiters of a host map, and whether the owner of a row lives. For outbound/query_limiter.c.
 */
#ifndef RECAUDO_OUTBOUND_QUERY_LIMITER_FILE_H
#define RECAUDO_OUTBOUND_QUERY_LIMITER_FILE_H

#include "outbound/query_limiter.h"

#include <pthread.h>

enum { LIMITER_SLOTS = 1024, LIMITER_ENDPOINTS = 256, LIMITER_NETWORKS = 512, LIMITER_REFERENCE_SIZE = 32 };

enum slot_state { SLOT_FREE, SLOT_ASKING, SLOT_STORING, SLOT_SHARING };

/* A lookup with an external query, of the process `owner`. The state is written last: while it is SLOT_FREE, the other
 * members are not valid. */
struct limiter_slot {
    _Atomic uint32_t number; /* incremented when the lookup ends; waiting threads sleep on it */
    uint32_t told_number;    /* the number under which `outcome` was told; 0: never */
    uint32_t outcome;
    uint32_t owner;
    bool is_probe;
    uint64_t merchant_id, integration_id, network_id;
    uint64_t endpoint; /* a hash of the merchant and its URL */
    char reference[LIMITER_REFERENCE_SIZE];
};

/* An endpoint that failed last time. */
struct limiter_endpoint {
    uint64_t endpoint;
    uint64_t failures; /* in a row; 0: the row is free */
    duration failed_at, resting_until;
};

/* When a network last wanted to ask a merchant. */
struct limiter_network {
    uint64_t merchant_id, network_id;
    duration asked_at; /* 0: the row is free */
};

struct limiter_shared {
    uint64_t magic; /* of this layout */
    pthread_mutex_t lock;
    uint64_t next_slot; /* where to look for a free one: those used last are used last again */
    _Atomic uint8_t states[LIMITER_SLOTS];
    struct limiter_slot slots[LIMITER_SLOTS];
    struct limiter_endpoint endpoints[LIMITER_ENDPOINTS];
    struct limiter_network networks[LIMITER_NETWORKS];
};

struct query_limiter_file {
    int fd;
    uint32_t row; /* of this process */
    struct limiter_shared *shared;
};

/* Takes a row. False: logged why. */
MUST_USE bool query_limiter_file_open(const char *path, struct query_limiter_file *out);

void query_limiter_file_close(struct query_limiter_file *file);

/* Whether a live process holds this row. */
bool query_limiter_file_owner_lives(const struct query_limiter_file *file, uint32_t row);

#endif
