/* How much work of a kind is overdue. */
#ifndef RECAUDO_STORE_DB_OVERDUE_H
#define RECAUDO_STORE_DB_OVERDUE_H

#include "base/clock.h"

struct overdue {
    uint64_t count;
    duration oldest; /* how long the oldest has been due; 0: there is none */
};

#endif
