#include "bench/common/journey.h"

#define LOOKUP      {OPERATION_LOOKUP, TWIST_NONE, 0}
#define LOOKUP_OPEN {OPERATION_LOOKUP, TWIST_OPEN_AMOUNT, 0}
#define REGISTER    {OPERATION_REGISTER, TWIST_NONE, 0}
#define CONFIRM     {OPERATION_CONFIRM, TWIST_NONE, 0}
#define CANCEL      {OPERATION_CANCEL, TWIST_NONE, 0}

const struct journey journey_flow = {"flow", 0, JOURNEY_PAID, 3, {LOOKUP, REGISTER, CONFIRM}};

/* 1,000 journeys have 1,425 requests. 997 of these are lookups, 100 of them of unknown references. */
static const struct journey mix[] = {
    {"lookup", 698, JOURNEY_LOOKED_UP, 1, {LOOKUP}},
    {"unknown reference", 100, JOURNEY_LOOKED_UP, 1, {{OPERATION_LOOKUP, TWIST_UNKNOWN_REFERENCE, 101}}},
    {"wrong checksum", 5, JOURNEY_LOOKED_UP, 1, {{OPERATION_LOOKUP, TWIST_CHECKSUM, 25}}},
    {"unknown transaction", 3, JOURNEY_LOOKED_UP, 1, {{OPERATION_CONFIRM, TWIST_NONE, 13}}},
    {"payment", 117, JOURNEY_PAID, 3, {LOOKUP, REGISTER, CONFIRM}},
    {"open amount", 20, JOURNEY_OPEN, 3, {LOOKUP_OPEN, REGISTER, CONFIRM}},
    {"top-up", 20, JOURNEY_ACCOUNTS, 3, {LOOKUP_OPEN, REGISTER, CONFIRM}},
    {"repeats", 16, JOURNEY_PAID, 5, {LOOKUP, REGISTER, REGISTER, CONFIRM, CONFIRM}},
    {"other amount", 8, JOURNEY_LOOKED_UP, 2, {LOOKUP, {OPERATION_REGISTER, TWIST_OTHER_AMOUNT, 21}}},
    {"cancellation", 13, JOURNEY_PAID, 4, {LOOKUP, REGISTER, CONFIRM, CANCEL}},
};

const struct journey *journey_draw(uint64_t random) {
    unsigned total = 0;
    for (size_t i = 0; i < COUNT_OF(mix); i++) {
        total += mix[i].weight;
    }
    uint64_t left = random % total;
    const struct journey *journey = mix;
    while (left >= journey->weight) {
        left -= journey->weight;
        journey++;
    }
    return journey;
}
