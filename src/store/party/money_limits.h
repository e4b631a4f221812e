/*
 * The most that a network may confirm in a day (UTC), and may have confirmed and not remitted, by currency. The
 * database keeps to them in the statement that confirms (sql/foundation.sql); here they are set and looked at.
 */
#ifndef RECAUDO_STORE_PARTY_MONEY_LIMITS_H
#define RECAUDO_STORE_PARTY_MONEY_LIMITS_H

#include "base/arena.h"
#include "domain/money.h"
#include "store/db/connection.h"

/* A limit and what of it is used. */
struct money_bound {
    bool is_set;
    struct money most, used;
};

struct money_limit {
    struct text network, currency;
    struct money_bound day, outstanding;
};

/* Percent of a limit from which on somebody is to know of it. */
enum { MONEY_LIMIT_WARNS_AT = 80 };

/* Whether a bound is set and used up to MONEY_LIMIT_WARNS_AT percent or more. */
bool money_bound_is_nearly_used(const struct money_bound *bound);

/* Calls `each` for every limit, or those of one network (0: all), by network and currency. `each` must not use the
 * connection. */
enum status money_limits_list(struct connection *connection, uint64_t network_id, struct arena *arena,
                              void (*each)(void *context, const struct money_limit *limit), void *context);

struct money_limit_change {
    uint64_t network_id;
    struct text currency;
    struct text day, outstanding; /* amounts in decimal form; empty: no limit */
    uint64_t seen;                /* history_end of the network, from before its limits were read */
    struct text actor;
};

/* Holds when it returns STATUS_OK. *approval: number of the approval for which the change waits
 * (store/payment/approvals.h); 0: it waits for none. STATUS_CHANGED: somebody has changed the network since `seen`.
 * STATUS_LIMIT: the network has confirmed more already than a limit can count. */
enum status money_limits_set(struct connection *connection, const struct money_limit_change *change,
                             uint64_t *approval);

/* The approval in what network_limit_set returned; 0: none. */
static inline uint64_t money_limit_approval(uint64_t written) {
    return written > 1 ? written - 1 : 0;
}

enum remit_outcome { REMIT_HAS_NO_LIMIT, REMIT_DONE, REMIT_OWES_LESS };

struct remittance {
    uint64_t network_id;
    struct text currency, amount; /* in decimal form; with a minus: taken back */
    struct text reason, actor;
};

enum status money_limits_remit(struct connection *connection, const struct remittance *remittance,
                               enum remit_outcome *out);

/* What is to be logged of a network that has used MONEY_LIMIT_WARNS_AT of a limit, allocated in `arena`: each network
 * and currency once per day (UTC), whoever asks. *out is empty: nothing more. */
enum status money_limits_warn(struct connection *connection, struct arena *arena, struct text *out);

#endif
