/*
 * Checks the event log against its seals: computes each seal again from the present events, and reports what was
 * removed, added or changed by anybody, including the schema's owner. Only reads.
 */
#ifndef RECAUDO_AUDIT_SEAL_CHECK_H
#define RECAUDO_AUDIT_SEAL_CHECK_H

#include "auth/digest.h"
#include "auth/seal_key.h"
#include "base/clock.h"
#include "store/operation/seals.h"

struct seal_finding {
    const char *name; /* event-removed, event-added, event-changed, seal-changed, ...: see doc/audit.md */
    uint64_t seal;    /* the seal's number */
    uint64_t event;   /* the event's id; 0: the finding is about the seal */
    struct text what; /* a sentence; in an arena that is reset after the call */
};

/* A seal from a file outside the database. */
struct kept_seal {
    uint64_t number;
    char digest[DIGEST_HEX_SIZE];
    bool was_found; /* set by the check */
};

struct seal_check {
    struct connection *connection;
    uint64_t from;         /* number of the first seal to check, from 1 */
    duration searched_for; /* until this long after a seal, late events of its range are still searched for; 0: the log
                              is not being sealed */
    bool counts_waiting;   /* count the events after the newest seal, of which there may be very many */
    struct seal_key *const *keys; /* public keys */
    size_t key_count;             /* 0: signatures are not checked */
    uint64_t signed_from;         /* with keys: this seal and all later ones must be signed; 0: all seals */
    struct kept_seal *kept;       /* in any order; the check sorts them */
    size_t kept_count;
    void (*find)(void *context, const struct seal_finding *finding);
    void *context;
};

enum { SEAL_INSTANT_SIZE = 32 };

struct seal_counts {
    uint64_t seals, events, late; /* numbers checked; late: how many of the events were sealed late */
    uint64_t signed_seals;
    uint64_t waiting; /* events without a seal that may still get one: of a recent range, or after the newest seal */
    char waiting_since[SEAL_INSTANT_SIZE]; /* when the oldest event after the newest seal was written; "": none */
    uint64_t findings;
};

/* Checks all seals from check->from on; if that is 1, also whether the log exists at all. STATUS_OK: the check is
 * complete; counts->findings has the number of findings. */
enum status seal_check_run(const struct seal_check *check, struct seal_counts *counts);

#endif
