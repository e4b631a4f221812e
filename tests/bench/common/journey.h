/* What callers do one after the other with one reference, and how often each of it happens in life. */
#ifndef RECAUDO_BENCH_JOURNEY_H
#define RECAUDO_BENCH_JOURNEY_H

#include "bench/common/operation.h"

/* Which references a journey is about. */
enum journey_orders {
    JOURNEY_LOOKED_UP, /* orders that nobody pays, at random */
    JOURNEY_PAID,      /* orders of a given amount, each once */
    JOURNEY_OPEN,      /* orders of an open amount, each once */
    JOURNEY_ACCOUNTS,  /* accounts, at random */
    JOURNEY_ORDERS
};

/* What is unusual about a request. */
enum twist {
    TWIST_NONE,
    TWIST_UNKNOWN_REFERENCE, /* a reference that nobody has */
    TWIST_OPEN_AMOUNT,       /* the reply to the lookup has the amount 0 */
    TWIST_OTHER_AMOUNT,      /* another amount than the order's */
    TWIST_CHECKSUM           /* wrong */
};

struct step {
    enum operation operation;
    enum twist twist;
    unsigned code; /* that the reply must have */
};

enum { JOURNEY_STEPS = 5 };

struct journey {
    const char *name;
    unsigned weight; /* among the journeys of the mix */
    enum journey_orders orders;
    unsigned step_count;
    struct step steps[JOURNEY_STEPS];
};

/* Lookup, registration and confirmation of one order. */
extern const struct journey journey_flow;

/* One of the mix: 70 % of its requests are lookups, a tenth of them of unknown references. `random` is any number. */
const struct journey *journey_draw(uint64_t random);

#endif
