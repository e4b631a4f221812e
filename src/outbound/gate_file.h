/* The file that all processes of a host map, and which of its rows are alive. Only for outbound/gate.c. */
#ifndef RECAUDO_OUTBOUND_GATE_FILE_H
#define RECAUDO_OUTBOUND_GATE_FILE_H

#include "outbound/gate.h"

#include <pthread.h>

enum { GATE_PLACES = 1024, GATE_ENDPOINTS = 256, GATE_NETWORKS = 512, GATE_REFERENCE_SIZE = 32 };

enum gate_kind { GATE_FREE, GATE_ASKING, GATE_STORING, GATE_SHARING };

/* A lookup with an external query, of the process `owner`. Its kind is written last, and says whether the rest means
 * anything. */
struct gate_place {
    _Atomic uint32_t number; /* goes up when the lookup ends; those who wait for it sleep on it */
    uint32_t told_number;    /* the number under which `outcome` was told; 0: never */
    uint32_t outcome;
    uint32_t owner;
    bool is_probe;
    uint64_t merchant_id, integration_id, network_id;
    uint64_t endpoint; /* a hash of the merchant and its URL */
    char reference[GATE_REFERENCE_SIZE];
};

/* An endpoint that failed last time. */
struct gate_endpoint {
    uint64_t endpoint;
    uint64_t failures; /* in a row; 0: the row is free */
    duration failed_at, resting_until;
};

/* When a network last wanted to ask a merchant. */
struct gate_network {
    uint64_t merchant_id, network_id;
    duration asked_at; /* 0: the row is free */
};

struct gate_shared {
    uint64_t magic; /* of this layout */
    pthread_mutex_t lock;
    uint64_t next_place; /* where to look for a free one: those used last are used last again */
    _Atomic uint8_t kinds[GATE_PLACES];
    struct gate_place places[GATE_PLACES];
    struct gate_endpoint endpoints[GATE_ENDPOINTS];
    struct gate_network networks[GATE_NETWORKS];
};

struct gate_file {
    int fd;
    uint32_t row; /* of this process */
    struct gate_shared *shared;
};

/* Takes a row. False: logged why. */
MUST_USE bool gate_file_open(const char *path, struct gate_file *out);

void gate_file_close(struct gate_file *file);

/* Is there a process that holds this row? */
bool gate_file_lives(const struct gate_file *file, uint32_t row);

#endif
