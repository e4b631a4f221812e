/*
 * Checks the event log against its seals: recomputes each seal from the events as they are now, and names what was
 * removed, added or changed, whoever did it. Reads only.
 */
#ifndef RECAUDO_AUDIT_SEAL_CHECK_H
#define RECAUDO_AUDIT_SEAL_CHECK_H

#include "auth/seal_key.h"
#include "base/clock.h"
#include "store/operation/seals.h"

struct seal_finding {
    const char *name; /* event-removed, event-added, event-changed, seal-changed, ...: see doc/audit.md */
    uint64_t seal;    /* its number */
    uint64_t event;   /* its id; 0: the finding is about the seal */
    struct text what; /* a sentence; lies in an arena that is reset after the call */
};

/* A seal that somebody else has kept. */
struct kept_seal {
    uint64_t number;
    char digest[65];
    bool was_found; /* written by the check */
};

struct seal_check {
    struct connection *connection;
    uint64_t from;         /* number of the first seal to check, from 1 */
    duration searched_for; /* late events are searched for so long after a seal; 0: the log is not being sealed */
    bool counts_waiting;   /* count the events after the newest seal; there may be very many */
    struct seal_key *const *keys; /* public keys */
    size_t key_count;             /* 0: signatures are not checked */
    uint64_t signed_from;         /* with keys: each seal with this number or a later one must be signed; 0: all */
    struct kept_seal *kept;       /* in any order; the check sorts them */
    size_t kept_count;
    void (*find)(void *context, const struct seal_finding *finding);
    void *context;
};

enum { SEAL_INSTANT_SIZE = 32 };

struct seal_counts {
    uint64_t seals, events, late; /* checked; late: of the events, those that were sealed late */
    uint64_t signed_seals;
    uint64_t waiting; /* of a recent range, which the next search for late events will seal, or after the newest seal */
    char waiting_since[SEAL_INSTANT_SIZE]; /* when the oldest of those after the newest seal was written; "": none */
    uint64_t findings;
};

/* Checks all seals from check->from on, and from the first on whether the log is there at all. STATUS_OK:
 * counts->findings says how it ended. */
enum status seal_check_run(const struct seal_check *check, struct seal_counts *counts);

#endif
